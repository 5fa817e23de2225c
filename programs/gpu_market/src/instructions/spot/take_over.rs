use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct TakeOver {
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut, address = listing.challenger @ MarketError::WrongChallenger)]
    pub rental: Account<Rental>,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// Anyone, once nobody holds the machine any more: the order that waits takes it, and the host's time to start begins.
pub fn take_over(ctx: &mut Context<TakeOver>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    listing.hand_over(rental.address(), rental.offline_after, &accounts.market, now)?;
    rental.created_at = now;
    let event = RentalTookOver {
        listing: *listing.address(),
        rental: *rental.address(),
        preempted: Address::default(),
        start_by: rental.start_by(),
        at: now,
        seq: rental.next_seq(),
        listing_seq: listing.next_seq(),
        mint: rental.mint,
        compensation: 0,
        compensation_kept: 0,
        vault_seq: 0,
    };
    emit_event!(ctx, event)
}
