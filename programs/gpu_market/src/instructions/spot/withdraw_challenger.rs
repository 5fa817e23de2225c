use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct WithdrawChallenger {
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
    /// The renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// The renter of the order that waits for a machine, at any time before it takes over; anyone once it has waited for
/// longer after the holder's grace than a host may take to start. Everything goes back. When the renter leaves, nobody
/// else may begin to wait for one grace, so that the holder can extend.
pub fn withdraw_challenger(ctx: &mut Context<WithdrawChallenger>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (rental, listing) = (&mut accounts.rental, &mut accounts.listing);
    let preempt_at = listing.drop_challenger(rental.address())?;
    let reason = if address_eq(&rental.renter, accounts.caller.address()) {
        if !listing.is_idle() {
            listing.challenge_from = now.saturating_add(accounts.market.spot_grace.into());
        }
        CloseReason::Withdrawn
    } else {
        let overdue_at = preempt_at.saturating_add(rental.provision_timeout.into());
        require!(now > overdue_at, MarketError::ChallengerInTime);
        CloseReason::TakeOverTimeout
    };
    let payout = Payout {
        rental,
        listing,
        renter_profile: &mut accounts.renter_profile,
        vault: &mut accounts.vault,
        vault_token: &accounts.vault_token,
        renter_payout: &accounts.renter_payout,
        host_payout: None,
        mint: None,
    };
    let ending = Ending {
        used: 0,
        now,
        reason,
        completed: false,
        closed_by: accounts.caller.address(),
        event_authority: accounts.event_authority.account(),
        event_bump: ctx.bumps.event_authority,
    };
    let tip = payout.divide(&ending)?;
    let challenger = *accounts.rental.address();
    release(&mut accounts.rental, tip, accounts.caller.account(), accounts.renter.account())?;
    let listing = &mut accounts.listing;
    let withdrawn = ChallengerWithdrawn {
        listing: *listing.address(),
        challenger,
        holder: listing.current,
        challenge_from: listing.challenge_from,
        at: now,
        listing_seq: listing.next_seq(),
    };
    emit_event!(ctx, withdrawn)
}
