use crate::*;

/// Anyone, once the paid time has ended. A host that had gone silent before the end is paid up to its last heartbeat.
pub fn finalize_rental(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    let rental = &ctx.accounts.rental;
    rental.require_state(RentalState::Running)?;
    let end = rental.paid_until();
    require!(now >= end, MarketError::RentalNotExpired);
    let listing = &ctx.accounts.listing;
    if listing.overdue(end, rental.offline_after) {
        let used = used_until_silence(rental, listing);
        return close(ctx, used, now, CloseReason::HostOffline);
    }
    let used = rental.duration;
    close(ctx, used, now, CloseReason::Expired)
}
