use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ReleaseHoldback {
    /// May be the renter, or the host's wallet.
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
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The host's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Anyone, once the renter may no longer contest: the host is paid what was held back, and the listing counts a
/// rental that was used for long enough as completed. Waits while the host cannot be paid; after a second window it is a
/// fee if their own account is the reason.
pub fn release_holdback(ctx: &mut Context<ReleaseHoldback>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (rental, listing, vault) = (&mut accounts.rental, &mut accounts.listing, &mut accounts.vault);
    rental.require_contestable(at, false)?;
    let (caller, account) = (accounts.caller.address(), accounts.host_payout.account());
    let amount = rental.holdback(rental.settled)?;
    let mut kept = 0;
    if amount > 0 {
        let host = Payee::new(&listing.authority, account);
        let from = accounts.vault_token.account();
        let due = Due { mint: &rental.mint, amount, from, caller, lamports: 0 };
        if host.takes_or_loses(&due, at >= rental.holdback_lapses_at())? {
            vault.pay(amount)?;
            pay_from_vault(vault, &accounts.vault_token, account, amount);
        } else {
            vault.keep(amount)?;
            kept = amount;
        }
    }
    let completed = rental.settled >= accounts.market.min_rated_seconds && !rental.is_not_as_listed();
    listing.completed = listing.completed.saturating_add(completed.into());
    listing.settle_finished()?;
    let event = HoldbackReleased {
        rental: *rental.address(),
        listing: rental.listing,
        mint: rental.mint,
        amount,
        kept,
        completed,
        released_by: *caller,
        at,
        seq: rental.next_seq(),
        listing_seq: listing.next_seq(),
        vault_seq: vault.next_seq(),
    };
    rental.close(*accounts.renter.account())?;
    emit_event!(ctx, event)
}
