use crate::*;

/// The renter ends the rental: seconds used are paid, the rest is back in this transaction. A host that has gone silent
/// is paid up to its last heartbeat.
pub fn stop_rental(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    let rental = &ctx.accounts.rental;
    rental.require_renter(ctx.accounts.caller.address())?;
    if !rental.is(RentalState::Running) {
        return close(ctx, 0, now, CloseReason::Withdrawn);
    }
    require!(now < rental.paid_until(), MarketError::RentalExpired);
    let listing = &ctx.accounts.listing;
    if listing.overdue(now, rental.offline_after) {
        let used = used_until_silence(rental, listing);
        return close(ctx, used, now, CloseReason::HostOffline);
    }
    let used = rental.used_at(now);
    close(ctx, used, now, CloseReason::Stopped)
}
