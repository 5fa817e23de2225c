use crate::*;

/// Anyone, once the host's heartbeat is overdue: pays up to the last one, refunds the rest, compensates by the holdback.
pub fn report_offline(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&ctx.accounts.rental, &ctx.accounts.listing);
    rental.require_state(RentalState::Running)?;
    let watched = now.min(rental.paid_until());
    require!(listing.overdue(watched, rental.offline_after), MarketError::HostOnline);
    let used = used_until_silence(rental, listing);
    close(ctx, used, now, CloseReason::HostOffline)
}
