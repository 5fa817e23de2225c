#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::constants::LAYOUT_VERSION;
use crate::emit_event;
use crate::errors::MarketError;
use crate::events::RentalOpened;
use crate::math;
use crate::state::{Host, Listing, Market, PauseArea, PaymentMint, Rates, Rental, RentalKind, RenterProfile, Vault};
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
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// What a renter asks for. `max_deposit` is the most the order may cost, in base units.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy)]
pub struct Order {
    pub kind: RentalKind,
    pub duration: u32,
    pub max_deposit: u64,
    /// SHA-256 of the order document.
    pub spec_hash: [u8; 32],
}

/// `nonce` is the renter's next one.
pub fn open_rental(ctx: &mut Context<OpenRental>, nonce: [u8; 8], order: Order) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, listing) = (&accounts.market, &mut accounts.listing);
    market.require_running(PauseArea::Orders)?;
    require_duration(market, listing, &order)?;
    require!(accounts.host.approved != 0, MarketError::HostNotApproved);
    require!(listing.visible != 0, MarketError::ListingHidden);
    require!(!listing.overdue(now, market.offline_after), MarketError::ListingOffline);
    require!(!address_eq(&listing.authority, accounts.renter.address()), MarketError::SelfRental);
    let nonce = u64::from_le_bytes(nonce);
    require!(accounts.renter_profile.next_nonce == nonce, MarketError::NonceMismatch);

    let usd = price_usd(market, listing, order.kind)?;
    require!(math::accrued_floor(usd, order.duration)? >= market.order_min_usd, MarketError::OrderBelowMinimum);
    let mint = &accounts.payment_mint;
    let price = math::usd_to_base_units_ceil(usd, mint.fresh_price(now)?, mint.decimals)?;
    let fee_bps = match order.kind {
        RentalKind::Reserved => market.reserved_fee_bps,
        RentalKind::OnDemand | RentalKind::Spot => market.on_demand_fee_bps,
    };
    let rates = Rates::at(price, fee_bps, mint.extra_fee_bps, mint.subsidy_bps, mint.burn_bps)?;
    let deposit = math::accrued_ceil(rates.rate, order.duration)?;
    let subsidy = math::accrued_ceil(rates.subsidy, order.duration)?;
    require!(deposit <= order.max_deposit, MarketError::CostAboveMaximum);
    let balance = token::balance_of(accounts.renter_token.account(), &mint.mint, accounts.renter.address())?;
    require!(balance >= deposit, MarketError::InsufficientFunds);

    let (address, renter) = (*accounts.rental.address(), *accounts.renter.address());
    listing.occupy(&address, market.offline_after)?;
    let listing_seq = listing.next_seq();
    accounts.renter_profile.begin_rental()?;
    let vault = &mut accounts.vault;
    vault.escrow(deposit, subsidy)?;
    vault.open_rentals = math::add(vault.open_rentals, 1)?;
    let vault_seq = vault.next_seq();

    let rental = &mut accounts.rental;
    rental.version = LAYOUT_VERSION;
    rental.bump = ctx.bumps.rental;
    rental.kind = order.kind as u8;
    rental.shard = vault.shard[0];
    rental.offline_after = market.offline_after;
    rental.renter = renter;
    rental.listing = *listing.address();
    rental.mint = vault.mint;
    rental.spec_hash = order.spec_hash;
    rental.nonce = nonce;
    rental.deposit = deposit;
    rental.rate = rates.rate;
    rental.subsidy_rate = rates.subsidy;
    rental.burn_rate = rates.burn;
    rental.fee_rate = rates.fee;
    rental.created_at = now;
    rental.duration = order.duration;
    rental.holdback_bps = market.holdback_bps;
    rental.provision_timeout = market.provision_timeout;
    rental.tip_lamports = market.tip_lamports;
    rental.rate_usd = u32::try_from(usd).map_err(|_| MarketError::MathOverflow)?;
    let seq = rental.next_seq();

    token::transfer(
        accounts.renter_token.account(),
        accounts.vault_token.account(),
        accounts.renter.account(),
        deposit,
        &[],
    );
    let tip = u64::from(rental.tip_lamports);
    if tip > 0 {
        token::transfer_lamports(accounts.renter.account(), rental.account(), tip)?;
    }

    let event = RentalOpened {
        rental: address,
        renter,
        listing: rental.listing,
        host: listing.host,
        mint: rental.mint,
        nonce,
        kind: order.kind,
        shard: rental.shard,
        duration: order.duration,
        deposit,
        subsidy,
        rate: rates.rate,
        subsidy_rate: rates.subsidy,
        burn_rate: rates.burn,
        fee_rate: rates.fee,
        rate_usd: rental.rate_usd,
        holdback_bps: rental.holdback_bps,
        provision_timeout: rental.provision_timeout,
        offline_after: rental.offline_after,
        tip_lamports: rental.tip_lamports,
        spec_hash: order.spec_hash,
        at: now,
        seq,
        listing_seq,
        vault_seq,
    };
    emit_event!(ctx, event);
    Ok(())
}

fn require_duration(market: &Market, listing: &Listing, order: &Order) -> Result<()> {
    require!(order.kind != RentalKind::Spot, MarketError::KindUnsupported);
    require!(order.kind.is_valid_term(order.duration), MarketError::InvalidReservedTerm);
    require!(order.duration >= market.min_duration, MarketError::DurationTooShort);
    let longest = listing.mrl_seconds.min(market.max_duration);
    require!(order.duration <= longest, MarketError::DurationTooLong);
    Ok(())
}

/// Micro-USD per hour for this kind of rental; the reserved discount is rounded down.
fn price_usd(market: &Market, listing: &Listing, kind: RentalKind) -> Result<u64> {
    match kind {
        RentalKind::Reserved => {
            math::sub(listing.on_demand_usd, math::share_floor(listing.on_demand_usd, market.reserved_discount_bps)?)
        }
        RentalKind::OnDemand | RentalKind::Spot => Ok(listing.on_demand_usd),
    }
}
