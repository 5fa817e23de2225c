#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::emit_event;
use crate::errors::MarketError;
use crate::instructions::{rental_opened, OpeningSeqs, Order, Stakes};
use crate::math;
use crate::state::{active_stake, Host, Listing, Market, PaymentMint, Rental, RenterProfile, StakeAccount, Vault};
use crate::token;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;

#[event_cpi]
#[derive(Accounts)]
#[instruction(nonce: [u8; 8])]
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
    #[account(address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, renter.address()) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    #[account(init, payer = renter, seeds = [b"rental", renter.address().as_ref(), nonce.as_ref()], bump)]
    pub rental: Account<Rental>,
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// What the renter has staked: lower fees, more rentals at a time, priority.
    pub renter_stake: Option<Account<StakeAccount>>,
    /// What the host has staked: lower fees.
    pub host_stake: Option<Account<StakeAccount>>,
    /// The price update that a mint priced by Pyth needs.
    pub price_feed: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// `nonce` is the renter's next one. The machine must be free; a staker comes first for a moment after it fell idle.
pub fn open_rental(ctx: &mut Context<OpenRental>, nonce: [u8; 8], order: Order) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, listing, mint) = (&accounts.market, &mut accounts.listing, &accounts.payment_mint);
    let (address, renter) = (*accounts.rental.address(), *accounts.renter.address());
    order.require_allowed(market, &accounts.host, listing, &renter, now)?;
    let stakes = Stakes {
        renter: active_stake(&accounts.renter_stake, &renter, now)?,
        host: active_stake(&accounts.host_stake, &listing.authority, now)?,
    };
    listing.require_priority(market, stakes.renter, now)?;
    let token_price = mint.fresh_price(now, accounts.price_feed.as_ref().map(|feed| feed.account()))?;
    let quote = order.quote(market, mint, &accounts.host, listing, stakes, token_price)?;
    let balance = token::balance_of(accounts.renter_token.account(), &mint.mint, &renter)?;
    require!(balance >= quote.deposit, MarketError::InsufficientFunds);

    let nonce = u64::from_le_bytes(nonce);
    accounts.renter_profile.use_nonce(nonce)?;
    accounts.renter_profile.begin_rental(market, listing.region, stakes.renter)?;
    listing.occupy(&address, market.offline_after)?;
    let vault = &mut accounts.vault;
    vault.escrow(quote.deposit, quote.subsidy)?;
    vault.open_rentals = math::add(vault.open_rentals, 1)?;
    let rental = &mut accounts.rental;
    order.write(rental, ctx.bumps.rental, &renter, nonce, listing.address(), market, vault, &quote, now)?;

    token::transfer(
        accounts.renter_token.account(),
        accounts.vault_token.account(),
        accounts.renter.account(),
        quote.deposit,
        &[],
    );
    let tip = u64::from(rental.tip_lamports);
    if tip > 0 {
        token::transfer_lamports(accounts.renter.account(), rental.account(), tip)?;
    }
    let seqs = OpeningSeqs { rental: rental.next_seq(), listing: listing.next_seq(), vault: vault.next_seq() };
    let event = rental_opened(&address, rental, &order, &listing.host, quote.subsidy, &seqs);
    emit_event!(ctx, event);
    Ok(())
}
