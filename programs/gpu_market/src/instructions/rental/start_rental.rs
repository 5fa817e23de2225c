use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct StartRental {
    pub operator: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
}

/// The machine is up: the meter starts. Refused once the time to provision has passed, when anyone may cancel.
pub fn start_rental(ctx: &mut Context<StartRental>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.require_operator(accounts.operator.address())?;
    let at = Clock::get()?.unix_timestamp;
    accounts.listing.require_heard(at, accounts.rental.offline_after)?;
    let rental = &mut accounts.rental;
    rental.require_state(RentalState::Provisioning)?;
    require!(at <= rental.start_by(), MarketError::ProvisioningOverdue);
    rental.state = RentalState::Running as u8;
    rental.started_at = at;
    let seq = rental.next_seq();
    let event =
        RentalStarted { rental: *rental.address(), listing: rental.listing, at, paid_until: rental.paid_until(), seq };
    emit_event!(ctx, event)
}
