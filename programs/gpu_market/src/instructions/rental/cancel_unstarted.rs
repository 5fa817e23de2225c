use crate::*;

/// Anyone, once the host has let the time to start pass: full refund, counted against the host.
pub fn cancel_unstarted(ctx: &mut Context<EndRental>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    let rental = &ctx.accounts.rental;
    require!(!rental.is(RentalState::Running), MarketError::WrongRentalState);
    require!(now > rental.start_by(), MarketError::ProvisioningInTime);
    close(ctx, 0, now, CloseReason::ProvisionTimeout)
}
