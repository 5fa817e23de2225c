#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::*;
use anchor_lang::find_program_address;
use pinocchio::cpi::Seed;

#[event_cpi]
#[derive(Accounts)]
#[instruction(nonce: [u8; 8])]
pub struct OpenRequest {
    #[account(mut)]
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    pub payment_mint: Account<PaymentMint>,
    #[account(mut, constraint = address_eq(&vault.mint, &payment_mint.mint) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, renter.address()) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    /// Created here.
    #[account(mut, seeds = [b"request", renter.address().as_ref(), nonce.as_ref()], bump)]
    pub request: UncheckedAccount,
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// `nonce` is the renter's next one. The deposit covers the order at its highest price with full fees; quotas and
/// stakes are looked at when a machine is found.
pub fn open_request(ctx: &mut Context<OpenRequest>, nonce: [u8; 8], order: RequestOrder) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, mint, vault) = (&accounts.market, &accounts.payment_mint, &mut accounts.vault);
    let renter = *accounts.renter.address();
    market.require_running(PauseArea::Orders, now)?;
    order.require_valid(market, now)?;
    let token_price = mint.fresh_price(now, accounts.price_feed.as_ref().map(|feed| feed.account()))?;
    let cost = cost_ceil(market, mint, order.kind, order.max_usd, order.duration, token_price)?;
    require!(order.deposit >= cost, MarketError::DepositTooSmall);
    let balance = token::balance_of(accounts.renter_token.account(), &mint.mint, &renter)?;
    require!(balance >= order.deposit, MarketError::InsufficientFunds);

    accounts.renter_profile.use_nonce(u64::from_le_bytes(nonce))?;
    vault.hold(order.deposit)?;
    let vault_seq = vault.next_seq();
    let bump = [ctx.bumps.request];
    let seeds = [b"request".as_slice(), renter.as_ref(), &nonce, &bump].map(Seed::from);
    let tips = u64::from(market.tip_lamports).saturating_mul(2);
    let (view, payer) = (accounts.request.account(), accounts.renter.account());
    let mut request = creation::create::<Request>(view, payer, tips, &seeds)?;
    request.bump = ctx.bumps.request;
    request.rental_bump = find_program_address(&[b"rental", renter.as_ref(), &nonce], &crate::ID).1;
    request.kind = order.kind as u8;
    request.shard = vault.shard[0];
    request.gpu_count = order.gpu_count;
    request.near_region = order.near_region;
    request.gpu_model = order.gpu_model;
    request.renter = renter;
    request.mint = vault.mint;
    request.order_hash = order.order_hash;
    request.nonce = nonce;
    request.deposit = order.deposit;
    request.max_usd = order.max_usd;
    request.regions = order.regions;
    request.created_at = now;
    request.expires_at = order.expires_at;
    request.duration = order.duration;
    request.tip_lamports = market.tip_lamports;
    request.min_score_bps = order.min_score_bps;
    request.min_vram_gb = order.min_vram_gb;
    request.min_cuda = order.min_cuda;
    request.min_ram_gb = order.min_ram_gb;
    request.min_disk_gb = order.min_disk_gb;
    request.min_net_up_mbps = order.min_net_up_mbps;
    request.min_net_down_mbps = order.min_net_down_mbps;

    token::transfer(
        accounts.renter_token.account(),
        accounts.vault_token.account(),
        accounts.renter.account(),
        order.deposit,
        &[],
    );
    let event = RequestOpened {
        request: *request.address(),
        renter,
        mint: request.mint,
        nonce: u64::from_le_bytes(nonce),
        shard: request.shard,
        order,
        tip_lamports: request.tip_lamports,
        at: now,
        seq: request.next_seq(),
        vault_seq,
    };
    emit_event!(ctx, event)
}
