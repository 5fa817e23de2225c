use crate::*;

/// The renter ends the rental: seconds used are paid, the rest is back in this transaction. A host that has gone silent
/// is paid up to its last heartbeat.
pub fn stop_rental(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Moment::now()?;
    let rental = &ctx.accounts.rental;
    rental.require_renter(ctx.accounts.caller.address())?;
    if !rental.is(RentalState::Running) {
        return close(ctx, 0, now.at, CloseReason::Withdrawn);
    }
    require!(now.at < rental.paid_until(), MarketError::RentalExpired);
    let listing = &ctx.accounts.listing;
    if listing.is_silent(&now) {
        let used = used_until_silence(rental, listing);
        return close(ctx, used, now.at, CloseReason::HostOffline);
    }
    let used = rental.owed_at(now.at);
    close(ctx, used, now.at, CloseReason::Stopped)
}
