use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct OpenRental {
    #[account(mut)]
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    pub payment_mint: Account<PaymentMint>,
    #[account(mut, constraint = address_eq(&vault.mint, &payment_mint.mint) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, renter.address()) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    /// Created here, at the address of the renter and the nonce.
    #[account(mut)]
    pub rental: UncheckedAccount,
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// Stake of the renter: lower fees, more rentals at a time, priority.
    pub renter_stake: UncheckedAccount,
    /// Stake of the host: lower fees.
    pub host_stake: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// `nonce` is the renter's next one. The machine must be free; a staker comes first for a moment after it fell idle.
pub fn open_rental(ctx: &mut Context<OpenRental>, nonce: [u8; 8], order: Order) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (market, now) = (&accounts.market, Clock::get()?.unix_timestamp);
    let placement = placement!(ctx, accounts, nonce, now);
    let opened = placement.escrow(&order, |listing, rental, stake| {
        listing.require_priority(market, stake, now)?;
        listing.occupy(rental, market.offline_after, market)
    })?;
    tell_opened!(ctx, opened, &order, 0);
    Ok(())
}
