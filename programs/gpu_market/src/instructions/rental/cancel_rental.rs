use crate::*;

/// The host gives up, with its reason: time used is paid less the holdback, which goes to the renter with the rest.
pub fn cancel_rental(ctx: &mut Context<EndRental>, reason: CloseReason) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.listing.require_authority(accounts.caller.address())?;
    require!(reason.given_by_host(), MarketError::InvalidCloseReason);
    let now = Clock::get()?.unix_timestamp;
    let rental = &accounts.rental;
    let used = rental.used_at(now.min(accounts.listing.last_heartbeat_at)).max(rental.settled);
    close(ctx, used, now, reason)
}
