use crate::*;

/// Those of `EndRental`, and the rental that takes over.
#[event_cpi]
#[derive(Accounts)]
pub struct Preempt {
    /// May be the renter: both only receive lamports.
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
    /// For a refund: the renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    /// For a payment: the host's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub host_payout: UncheckedAccount,
    /// The market token's mint, when there is a burn.
    #[account(mut)]
    pub mint: Option<UncheckedAccount>,
    /// Waits for the machine.
    #[account(mut, address = listing.challenger @ MarketError::WrongChallenger)]
    pub challenger: Account<Rental>,
    pub token_program: Program<Token>,
}

/// Anyone, once the holder's grace is over: the holder pays for the seconds used and the order that waits takes the
/// machine, or waits on until the host has claimed what it could not be paid. A holder whose paid time has ended, or
/// whose host has gone silent, ends by the instruction for that.
pub fn preempt(ctx: &mut Context<Preempt>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&accounts.rental, &mut accounts.listing);
    require!(now >= listing.preempt_at, MarketError::GraceNotOver);
    require!(!rental.is(RentalState::Running) || now < rental.paid_until(), MarketError::RentalExpired);
    listing.require_heard(now, rental.offline_after)?;
    listing.vacate(rental.address(), rental, now)?;
    let (used, reason) = (rental.owed_at(now), CloseReason::Preempted);
    let tip = divide!(ctx, accounts, used, now, reason)?;
    let preempted = *accounts.rental.address();
    release(&mut accounts.rental, tip, accounts.caller.account(), accounts.renter.account())?;

    let (listing, challenger) = (&mut accounts.listing, &mut accounts.challenger);
    if listing.owed > 0 {
        return Ok(());
    }
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
    emit_event!(ctx, took_over)
}
