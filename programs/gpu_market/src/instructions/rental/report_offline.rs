use crate::*;

/// Anyone, once the host has not answered its mark: pays up to the last one, refunds the rest, compensates by the holdback.
pub fn report_offline(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Moment::now()?;
    let (rental, listing) = (&ctx.accounts.rental, &ctx.accounts.listing);
    rental.require_state(RentalState::Running)?;
    let watched = now.at.min(rental.paid_until());
    let silent = listing.is_silent(&now) && listing.overdue(watched, rental.offline_after);
    require!(silent, MarketError::HostOnline);
    let used = used_until_silence(rental, listing);
    close(ctx, used, now.at, CloseReason::HostOffline)
}
