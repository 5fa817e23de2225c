use crate::*;

/// The host's operator gives up, with its reason: time used is paid less the holdback, which goes to the renter with the rest.
/// It can refuse an order only before the start.
pub fn cancel_rental(ctx: &mut Context<EndRental>, reason: CloseReason) -> Result<()> {
    let accounts = &ctx.accounts;
    accounts.listing.require_operator(accounts.caller.address())?;
    require!(reason.given_by_host(), MarketError::InvalidCloseReason);
    let now = Moment::now()?;
    let rental = &accounts.rental;
    require!(!reason.is_refusal() || !rental.is(RentalState::Running), MarketError::WrongRentalState);
    let listing = &accounts.listing;
    let used = if listing.is_silent(&now) { used_until_silence(rental, listing) } else { rental.owed_at(now.at) };
    close(ctx, used, now.at, reason)
}
