use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ContestFinish {
    #[account(mut)]
    pub renter: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(mut, address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
}

/// The renter says that their command had not ended: what was held back is a fee, so that neither side gains by what it says.
/// Rent and tip are the renter's.
pub fn contest_finish(ctx: &mut Context<ContestFinish>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (rental, listing, vault) = (&mut accounts.rental, &mut accounts.listing, &mut accounts.vault);
    rental.require_renter(accounts.renter.address())?;
    rental.require_contestable(at, true)?;
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
    };
    rental.close(*accounts.renter.account())?;
    emit_event!(ctx, event)
}
