use crate::*;

/// Anyone, once the paid time has ended. A host that had gone silent before the end is paid up to its last heartbeat;
/// while it may still answer a mark from before, the rental waits.
pub fn finalize_rental(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Moment::now()?;
    let rental = &ctx.accounts.rental;
    rental.require_state(RentalState::Running)?;
    let end = rental.paid_until();
    require!(now.at >= end, MarketError::RentalNotExpired);
    let listing = &ctx.accounts.listing;
    if listing.overdue(end, rental.offline_after) {
        require!(!listing.is_answer_pending(&now), MarketError::AnswerPending);
        if listing.is_silent(&now) {
            let used = used_until_silence(rental, listing);
            return close(ctx, used, now.at, CloseReason::HostOffline);
        }
    }
    let used = rental.duration;
    close(ctx, used, now.at, CloseReason::Expired)
}
