use crate::emit_event;
use crate::errors::MarketError;
use crate::events::RentalTookOver;
use crate::instructions::{release, Ending, Payout};
use crate::state::{CloseReason, Listing, Market, Rental, RentalState, RenterProfile, Vault};
use anchor_lang::address_eq;
use anchor_lang::prelude::*;

/// Those of `EndRental`, and the rental that takes over.
#[event_cpi]
#[derive(Accounts)]
pub struct Preempt {
    /// May be the renter too: both only receive lamports.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
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
    /// Waits for the machine.
    #[account(mut, address = listing.challenger @ MarketError::WrongChallenger)]
    pub challenger: Account<Rental>,
    pub token_program: Program<Token>,
}

/// Anyone, once the holder's grace is over: the holder pays for the seconds used, and the order that waits takes the
/// machine. A holder whose paid time has ended, or whose host has gone silent, ends by the instruction for that.
pub fn preempt(ctx: &mut Context<Preempt>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing, challenger) = (&mut accounts.rental, &mut accounts.listing, &mut accounts.challenger);
    require!(now >= listing.preempt_at, MarketError::GraceNotOver);
    require!(!rental.is(RentalState::Running) || now < rental.paid_until(), MarketError::RentalExpired);
    require!(!listing.overdue(now, rental.offline_after), MarketError::ListingOffline);
    listing.vacate(rental.address(), now)?;
    let (used, reason) = (rental.used_at(now), CloseReason::Preempted);
    let payout = Payout {
        rental,
        listing,
        renter_profile: &mut accounts.renter_profile,
        vault: &mut accounts.vault,
        vault_token: &accounts.vault_token,
        renter_token: &accounts.renter_token,
        host_token: Some(&accounts.host_token),
        mint: accounts.mint.as_ref(),
    };
    let ending = Ending {
        used,
        now,
        reason,
        completed: reason.is_completion(used, accounts.market.min_rated_seconds),
        closed_by: accounts.caller.address(),
        event_authority: accounts.event_authority.account(),
        event_bump: ctx.bumps.event_authority,
    };
    let tip = payout.divide(&ending)?;
    let preempted = *accounts.rental.address();
    release(&mut accounts.rental, tip, accounts.caller.account(), accounts.renter.account())?;

    let listing = &mut accounts.listing;
    listing.hand_over(challenger.address(), challenger.offline_after, now)?;
    challenger.created_at = now;
    let took_over = RentalTookOver {
        listing: *listing.address(),
        rental: *challenger.address(),
        preempted,
        start_by: challenger.start_by(),
        at: now,
        seq: challenger.next_seq(),
        listing_seq: listing.next_seq(),
    };
    emit_event!(ctx, took_over);
    Ok(())
}
