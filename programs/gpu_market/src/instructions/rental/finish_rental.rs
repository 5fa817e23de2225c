use crate::*;

/// The operator, with the renter's consent, once their command has ended: the seconds used are paid less the holdback, which
/// stays with the rental, and the machine is free. The tip goes back: renter and host want the release themselves, so
/// nobody has to be paid for it. A silent host cannot finish, and nobody while the renter cannot be paid.
pub fn finish_rental(ctx: &mut Context<EndRental>, exit_code: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.require_operator(accounts.caller.address())?;
    let moment = Moment::now()?;
    let (now, reason) = (moment.at, CloseReason::Finished);
    accounts.rental.require_may_finish(now)?;
    require!(!accounts.listing.is_silent(&moment), MarketError::ListingOffline);
    let used = accounts.rental.owed_at(now);
    accounts.rental.exit_code = exit_code;
    accounts.listing.vacate(accounts.rental.address(), &accounts.rental, reason, now)?;
    divide!(ctx, accounts, used, now, reason, 0, u8::MAX)?;
    require!(!accounts.rental.has_ended(), MarketError::PayeeNotPayable);
    accounts.rental.finish(used);
    accounts.listing.finished = accounts.listing.finished.saturating_add(1);
    return_tip(&mut accounts.rental, accounts.renter.account())
}

/// The tip goes back to the renter. A wallet that does not exist cannot hold so little: theirs comes with the rent.
fn return_tip(rental: &mut Account<Rental>, renter: &AccountView) -> Result<()> {
    if renter.lamports() == 0 {
        return Ok(());
    }
    let tip = core::mem::take(&mut rental.tip_lamports);
    give_tip(rental.account(), tip, renter)
}
