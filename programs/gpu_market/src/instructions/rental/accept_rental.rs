use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct AcceptRental {
    pub operator: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
}

/// `connection` (address, port, one-time credential) is sealed to the key in the renter's order.
pub fn accept_rental(ctx: &mut Context<AcceptRental>, connection: Vec<u8>) -> Result<()> {
    let length = u32::try_from(connection.len()).map_err(|_| MarketError::InvalidConnection)?;
    require!(length > 0 && length <= MAX_CONNECTION_BYTES, MarketError::InvalidConnection);
    let accounts = &mut ctx.accounts;
    accounts.listing.require_operator(accounts.operator.address())?;
    let rental = &mut accounts.rental;
    accounts.listing.require_holder(rental.address())?;
    rental.require_state(RentalState::Queued)?;
    let at = Clock::get()?.unix_timestamp;
    rental.state = RentalState::Provisioning as u8;
    rental.accepted_after = math::seconds_between(rental.created_at, at);
    let seq = rental.next_seq();
    let event = RentalAccepted { rental: *rental.address(), listing: rental.listing, connection, at, seq };
    emit_event_here!(ctx, event)
}
