use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Outbid {
    /// May be the beaten renter, who raises their bid; both only move lamports.
    #[account(unsafe(dup))]
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
    /// May be the token account that the beaten renter is refunded to.
    #[account(unsafe(dup))]
    pub renter_token: UncheckedAccount,
    /// Stake of the renter: lower fees, more rentals at a time.
    pub renter_stake: UncheckedAccount,
    /// Stake of the host: lower fees.
    pub host_stake: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    /// Holds the machine, and has been warned.
    #[account(address = listing.current @ MarketError::WrongHolder)]
    pub holder: Account<Rental>,
    /// Waits for the machine, and leaves.
    #[account(mut, address = listing.challenger @ MarketError::WrongChallenger)]
    pub beaten: Account<Rental>,
    #[account(unsafe(dup), address = beaten.renter @ MarketError::WrongRenter)]
    pub beaten_renter: UncheckedAccount,
    /// None if it is `renter_profile`.
    #[account(mut)]
    pub beaten_profile: Option<Account<RenterProfile>>,
    /// None if it is `vault`.
    #[account(mut)]
    pub beaten_vault: Option<Account<Vault>>,
    /// None if it is `vault_token`.
    #[account(mut)]
    pub beaten_vault_token: Option<UncheckedAccount>,
    /// The beaten renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub beaten_payout: UncheckedAccount,
    /// The beaten order's, if it has one.
    #[account(unsafe(dup))]
    pub beaten_meter: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// Takes the place of the order that waits for a machine, which is refunded in full. The holder's grace does not begin
/// anew, and once it is over the order that waits has won. Whoever outbids waits until then, and cannot withdraw. `payout_bump` is that of the beaten renter's associated account:
/// a wrong one only costs compute units.
pub fn outbid(ctx: &mut Context<Outbid>, nonce: [u8; 8], order: Order, payout_bump: u8) -> Result<()> {
    let accounts = &ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    require!(now < accounts.listing.preempt_at, MarketError::TakeOverDue);
    require!(!address_eq(&accounts.holder.renter, accounts.renter.address()), MarketError::SelfChallenge);
    accounts.beaten.require_spot()?;
    let (preempt_at, tip) = refund_beaten(ctx, now, payout_bump)?;

    let accounts = &mut ctx.accounts;
    let placement = placement!(ctx, accounts, nonce, now);
    let opened = placement.escrow(&order, |listing, rental, _| listing.replace_challenger(rental, preempt_at, now))?;
    accounts.beaten.require_beaten_by(order.kind, opened.rental.rate_usd, accounts.market.spot_increment_bps)?;
    // After every call of another program: each weighs the lamports of the accounts it is given.
    release(&mut accounts.beaten, tip, accounts.renter.account(), accounts.beaten_renter.account())?;
    tell_opened!(ctx, opened, &order, preempt_at);
    Ok(())
}

/// The order that waited leaves its place, and its renter gets everything back; gives the end of the holder's grace, and
/// the tip.
fn refund_beaten(ctx: &mut Context<Outbid>, now: i64, payout_bump: u8) -> Result<(i64, u32)> {
    let accounts = &mut ctx.accounts;
    let profile = accounts.beaten_profile.as_mut().unwrap_or(&mut accounts.renter_profile);
    require!(address_eq(&profile.wallet, &accounts.beaten.renter), MarketError::WrongRenter);
    let vault = accounts.beaten_vault.as_mut().unwrap_or(&mut accounts.vault);
    require!(vault.holds(&accounts.beaten), MarketError::WrongVault);
    let vault_token = accounts.beaten_vault_token.as_ref().unwrap_or(&accounts.vault_token);
    require!(address_eq(vault_token.address(), &vault.token_account), MarketError::WrongVault);
    let preempt_at = accounts.listing.drop_challenger(accounts.beaten.address())?;
    let payout = Payout {
        rental: &mut accounts.beaten,
        listing: &mut accounts.listing,
        renter_profile: profile,
        vault,
        vault_token,
        renter_payout: &accounts.beaten_payout,
        renter_bump: payout_bump,
        host_payout: None,
        mint: None,
        compensated: None,
        meter: accounts.beaten_meter.as_ref(),
        host: Some(accounts.host.account()),
        besides: 0,
    };
    let ending = Ending {
        used: 0,
        now,
        reason: CloseReason::Outbid,
        completed: false,
        closed_by: accounts.renter.address(),
        event_authority: accounts.event_authority.account(),
        event_bump: ctx.bumps.event_authority,
    };
    Ok((preempt_at, payout.divide(&ending)?.tip))
}
