use crate::*;

/// The operator, with the renter's consent, once their command has ended: the seconds used are paid less the holdback, which
/// stays with the rental, and the machine is free. A silent host cannot finish, and nobody while the renter cannot be paid.
pub fn finish_rental(ctx: &mut Context<EndRental>, exit_code: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.require_operator(accounts.caller.address())?;
    let moment = Moment::now()?;
    let (now, reason) = (moment.at, CloseReason::Finished);
    accounts.rental.require_may_finish(now)?;
    require!(!accounts.listing.is_silent(&moment), MarketError::ListingOffline);
    let used = accounts.rental.owed_at(now);
    accounts.rental.exit_code = exit_code;
    accounts.listing.vacate(accounts.rental.address(), &accounts.rental, now)?;
    divide!(ctx, accounts, used, now, reason, 0, u8::MAX)?;
    require!(!accounts.rental.has_ended(), MarketError::PayeeNotPayable);
    accounts.rental.finish(used);
    accounts.listing.finished = accounts.listing.finished.saturating_add(1);
    Ok(())
}
