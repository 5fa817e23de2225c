use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct MatchRequest {
    /// Pays the rental's rent until the request closes. May be the renter.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub request: Account<Request>,
    #[account(unsafe(dup), address = request.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, &request.renter) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    #[account(constraint = address_eq(&payment_mint.mint, &request.mint) @ MarketError::WrongMint)]
    pub payment_mint: Account<PaymentMint>,
    #[account(mut, constraint = vault.holds_request(&request) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    /// Created here: the program signs for the address that belongs to the request, and for no other.
    #[account(mut)]
    pub rental: UncheckedAccount,
    /// For a refund: the renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    /// Stake of the renter: lower fees, more rentals at a time, priority.
    pub renter_stake: UncheckedAccount,
    /// Stake of the host: lower fees.
    pub host_stake: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// `spec_version` is the listing's, as the caller has seen it. The rental opens as the renter's own order of this listing
/// would, now and at its price. The caller gets back the rent they advanced, and a tip once the host starts: a host that
/// refuses, or never starts, would else be paid for it by a matcher of its own. `payout_bump` is that of the renter's
/// associated account: a wrong one only costs compute units.
pub fn match_request(ctx: &mut Context<MatchRequest>, spec_version: u32, payout_bump: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, request) = (&accounts.market, &mut accounts.request);
    require!(!request.is_over(now), MarketError::RequestOver);
    request.require_fit(&accounts.listing, &accounts.host)?;
    let vault_seq = accounts.vault.next_seq();
    let placement = Placement {
        renter: &request.renter,
        deposit: Deposit::Held { payer: &accounts.caller },
        market,
        payment_mint: &accounts.payment_mint,
        vault: &mut accounts.vault,
        listing: &mut accounts.listing,
        host: &mut accounts.host,
        renter_profile: &mut accounts.renter_profile,
        rental: &accounts.rental,
        renter_stake: &accounts.renter_stake,
        host_stake: &accounts.host_stake,
        price_feed: &accounts.price_feed,
        nonce: u64::from_le_bytes(request.nonce),
        bump: request.rental_bump,
        tip_lamports: request.tip_lamports,
        now,
    };
    let held = accounts.rental.account().lamports();
    let order = request.order(spec_version);
    let opened = placement.escrow(&order, |listing, rental, stake| {
        listing.require_priority(market, stake, now)?;
        listing.occupy(rental, market.offline_after, market)
    })?;
    require!(u64::from(opened.rental.rate_usd) <= request.max_usd, MarketError::CostAboveMaximum);

    let refunded = refund_difference(accounts, opened.rental.deposit, payout_bump)?;
    let request = &mut accounts.request;
    let matched = RequestMatched {
        request: *request.address(),
        rental: *opened.rental.address(),
        listing: *accounts.listing.address(),
        held: request.deposit,
        refunded,
        matched_by: *accounts.caller.address(),
        tip_lamports: request.tip_lamports,
        at: now,
        seq: request.next_seq(),
        vault_seq,
    };
    move_lamports(request, &accounts.rental, held, &accounts.caller)?;
    request.close(*accounts.renter.account())?;
    emit_event!(ctx, matched)?;
    tell_opened!(ctx, opened, &order, 0);
    Ok(())
}

/// Gives the renter what the request holds beyond the rental's `deposit`; gives how much that is.
fn refund_difference(accounts: &mut MatchRequest, deposit: u64, payout_bump: u8) -> Result<u64> {
    let (request, vault) = (&accounts.request, &mut accounts.vault);
    let refunded = vault.release(request.deposit, deposit)?;
    if refunded > 0 {
        let renter = Payee { bump: payout_bump, ..Payee::new(&request.renter, accounts.renter_payout.account()) };
        let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
        renter.require_can_take(&Due { mint: &request.mint, amount: refunded, from, caller, lamports: 0 })?;
        pay_from_vault(vault, &accounts.vault_token, renter.account, refunded);
    }
    Ok(refunded)
}

/// Moves both tips on with the rental, and to the caller what they advanced of its rent: its address `held` the rest before.
/// What somebody has sent to the request or to that address stays with the rental: the renter's wallet may be too empty to
/// take it.
fn move_lamports(request: &Account<Request>, rental: &UncheckedAccount, held: u64, caller: &Signer) -> Result<()> {
    let (mut from, mut to, mut payer) = (*request.account(), *rental.account(), *caller.account());
    let tips = u64::from(request.tip_lamports).saturating_mul(2);
    let carried = math::sub(from.lamports(), tips)?;
    let advanced = math::sub(to.lamports(), held)?.min(carried);
    payer.set_lamports(math::add(payer.lamports(), advanced)?);
    to.set_lamports(math::add(to.lamports(), math::sub(from.lamports(), advanced)?)?);
    from.set_lamports(0);
    Ok(())
}
