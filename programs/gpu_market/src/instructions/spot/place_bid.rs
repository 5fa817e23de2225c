use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct PlaceBid {
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
    /// Stake of the renter: lower fees, more rentals at a time.
    pub renter_stake: UncheckedAccount,
    /// Stake of the host: lower fees.
    pub host_stake: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    /// Holds the machine; warned, so that whoever follows it hears of it.
    #[account(mut, address = listing.current @ MarketError::WrongHolder)]
    pub holder: Account<Rental>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// Orders a machine that a spot rental holds: a bid that is high enough, or an order of another kind that pays
/// no less than the holder. It waits, and the machine's holder is given their grace, or the rest of it where an order was
/// withdrawn shortly before.
pub fn place_bid(ctx: &mut Context<PlaceBid>, nonce: [u8; 8], order: Order) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (market, holder) = (&accounts.market, &mut accounts.holder);
    let now = Clock::get()?.unix_timestamp;
    require!(!address_eq(&holder.renter, accounts.renter.address()), MarketError::SelfChallenge);
    let placement = placement!(ctx, accounts, nonce, now);
    let opened = placement.escrow(&order, |listing, rental, _| listing.challenge(rental, now))?;
    holder.require_beaten_by(order.kind, opened.rental.rate_usd, market.spot_increment_bps)?;
    let preempt_at = accounts.listing.preempt_at;
    let preempting = RentalPreempting {
        listing: *accounts.listing.address(),
        rental: *holder.address(),
        challenger: *opened.rental.address(),
        preempt_at,
        at: now,
        seq: holder.next_seq(),
        listing_seq: accounts.listing.next_seq(),
    };
    tell_opened!(ctx, opened, &order, preempt_at);
    emit_event!(ctx, preempting)
}
