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
    /// The order's; with the next two needed only if the host has ended the rental that it waited for.
    #[account(mut)]
    pub challenger_vault: Option<Account<Vault>>,
    #[account(mut)]
    pub challenger_vault_token: Option<UncheckedAccount>,
    /// For the compensation: the wallet of that rental's renter for SOL, else their associated token account.
    #[account(mut)]
    pub compensation_payout: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
}

/// Anyone, once nobody holds the machine any more: the order that waits takes it, and the host's time to start begins. If
/// the host has ended the rental that it waited for, the order compensates that one's renter.
pub fn take_over(ctx: &mut Context<TakeOver>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    let (preempted, holder) = (listing.departed, listing.departed_renter);
    listing.hand_over(rental.address(), rental.offline_after, &accounts.market, now)?;
    rental.take_over(now);
    let mut compensation = Compensation::default();
    if !address_eq(&preempted, &NOBODY) {
        let apart = Apart {
            vault: accounts.challenger_vault.as_mut(),
            vault_token: accounts.challenger_vault_token.as_ref(),
            payout: accounts.compensation_payout.as_ref(),
            holder: &holder,
            caller: &NOBODY,
            lamports: 0,
        };
        let amount = rental.compensation()?;
        compensation = apart.pay(rental, amount)?;
    }
    let event = RentalTookOver {
        listing: *listing.address(),
        rental: *rental.address(),
        preempted,
        start_by: rental.start_by(),
        at: now,
        seq: rental.next_seq(),
        listing_seq: listing.next_seq(),
        mint: rental.mint,
        compensation: compensation.amount,
        compensation_kept: compensation.kept,
        vault_seq: compensation.vault_seq,
    };
    emit_event!(ctx, event)
}
