use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ContestFinish {
    #[account(mut)]
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, &rental.renter) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
}

/// The renter says that their command had not ended. Nobody can tell: they get what they would have got anyway, the host
/// what it would have got by giving up, and what was held back is a fee. It weighs against the host as a report does, and
/// no more: else renters of a command that ends at once would make a host fail for seconds of use.
pub fn contest_finish(ctx: &mut Context<ContestFinish>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (rental, listing, vault) = (&mut accounts.rental, &mut accounts.listing, &mut accounts.vault);
    rental.require_renter(accounts.renter.address())?;
    rental.require_contestable(at, true)?;
    let (weight, host_seq) =
        accounts.renter_profile.report(rental, &mut accounts.host, accounts.market.reputation_prior_usd)?;
    let amount = rental.holdback(rental.settled)?;
    vault.keep(amount)?;
    listing.settle_finished()?;
    let event = FinishContested {
        rental: *rental.address(),
        renter: rental.renter,
        listing: rental.listing,
        mint: rental.mint,
        amount,
        at,
        seq: rental.next_seq(),
        listing_seq: listing.next_seq(),
        vault_seq: vault.next_seq(),
        host: listing.host,
        weight,
        host_seq,
    };
    rental.close(*accounts.renter.account())?;
    emit_event!(ctx, event)
}
