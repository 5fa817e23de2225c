use crate::emit_event;
use crate::errors::MarketError;
use crate::events::RentalClosed;
use crate::math;
use crate::state::{CloseReason, Listing, Rental, RenterProfile, Vault};
use crate::token;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;
use pinocchio::cpi::Signer as PdaSigner;

/// The accounts of every instruction that ends a rental. The signer takes the tip, unless
/// it is the host that gave up; the renter takes the rent.
#[event_cpi]
#[derive(Accounts)]
pub struct EndRental {
    /// May be the renter himself: both only receive lamports.
    #[account(unsafe(dup))]
    pub signer: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(unsafe(dup), address = rental.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, &rental.renter) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// Any token account of the renter; looked at only when there is a refund.
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// Any token account of the host; looked at only when there is a payment.
    #[account(mut)]
    pub host_token: UncheckedAccount,
    /// The market token's mint, when there is a burn.
    #[account(mut)]
    pub mint: Option<UncheckedAccount>,
    pub token_program: Program<Token>,
}

impl CloseReason {
    /// Whether the host itself ended the rental; it earns no tip then, the renter keeps it.
    pub const fn given_by_host(self) -> bool {
        matches!(self, Self::HostFault | Self::HostMaintenance | Self::OrderRefused)
    }

    /// Whether the holdback goes to the renter and the listing counts a failure.
    pub const fn host_at_fault(self) -> bool {
        self.given_by_host() || matches!(self, Self::ProvisionTimeout | Self::HostOffline)
    }
}

/// Seconds used until the host was last heard from, and no fewer than it has been paid for.
pub fn used_until_silence(rental: &Rental, listing: &Listing) -> u32 {
    rental.used_at(listing.last_heartbeat_at).max(rental.settled)
}

/// Divides the escrow after `used` seconds, frees the listing and gives the renter the rent and the signer the tip.
pub fn close(ctx: &mut Context<EndRental>, used: u32, now: i64, reason: CloseReason) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (rental, listing, vault) = (&mut accounts.rental, &mut accounts.listing, &mut accounts.vault);
    let address = *rental.address();
    let split = rental.split(used, reason.host_at_fault())?;
    let paid = math::add(split.paid, rental.payable_floor(rental.settled)?)?;
    let subsidy = rental.subsidy_ceil(rental.duration)?;

    vault.divide(rental.escrow()?, &split)?;
    let vault_seq = vault.next_seq();
    listing.vacate(&address, now)?;
    if reason.host_at_fault() {
        listing.failed = listing.failed.saturating_add(1);
    } else if used > 0 {
        listing.completed = listing.completed.saturating_add(1);
    }
    let listing_seq = listing.next_seq();
    accounts.renter_profile.finish_rental(listing.region, rental.used_usd_floor(used)?, reason == CloseReason::Expired);

    let (bump, view) = ([vault.bump], *vault.account());
    let seeds = vault.seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    let from = accounts.vault_token.account();
    if split.paid > 0 {
        token::balance_of(accounts.host_token.account(), &rental.mint, &listing.authority)?;
        token::transfer(from, accounts.host_token.account(), &view, split.paid, &signers);
    }
    if split.refunded > 0 {
        token::balance_of(accounts.renter_token.account(), &rental.mint, &rental.renter)?;
        token::transfer(from, accounts.renter_token.account(), &view, split.refunded, &signers);
    }
    if split.burned > 0 {
        let mint = accounts.mint.as_ref().ok_or(MarketError::MintAccountMissing)?;
        require!(address_eq(mint.address(), &rental.mint), MarketError::WrongMint);
        token::burn(from, mint.account(), &view, split.burned, &signers);
    }

    let tip = if reason.given_by_host() { 0 } else { rental.tip_lamports };
    let event = RentalClosed {
        rental: address,
        renter: rental.renter,
        listing: rental.listing,
        mint: rental.mint,
        reason,
        state: rental.current_state(),
        used,
        deposit: rental.deposit,
        subsidy,
        paid,
        paid_now: split.paid,
        fees: split.fees,
        burned: split.burned,
        refunded: split.refunded,
        subsidy_returned: split.subsidy_returned,
        closed_by: *accounts.signer.address(),
        tip_lamports: tip,
        at: now,
        seq: rental.next_seq(),
        listing_seq,
        vault_seq,
    };
    let (mut from, mut to) = (*rental.account(), *accounts.signer.account());
    from.set_lamports(math::sub(from.lamports(), tip.into())?);
    to.set_lamports(math::add(to.lamports(), tip.into())?);
    rental.close(*accounts.renter.account())?;
    emit_event!(ctx, event);
    Ok(())
}
