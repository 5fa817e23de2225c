use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SetCharges {
    pub authority: Signer,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// Applies to new meters only: a meter carries its own rates.
pub fn set_charges(ctx: &mut Context<SetCharges>, charges: Charges) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let listing = &mut accounts.listing;
    listing.require_authority(accounts.authority.address())?;
    let old = listing.set_charges(&charges);
    let seq = listing.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = ChargesSet { listing: *listing.address(), old, new: charges, at, seq };
    emit_event!(ctx, event)
}
