use crate::emit_event;
use crate::events::ListingUpdated;
use crate::state::{Listing, ListingSpec};
use anchor_lang::prelude::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateListing {
    pub authority: Signer,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// Applies to new rentals only: a rental carries its own rates.
pub fn update_listing(ctx: &mut Context<UpdateListing>, spec: ListingSpec) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let listing = &mut accounts.listing;
    listing.require_authority(accounts.authority.address())?;
    let (old_on_demand_usd, old_spot_min_usd) = (listing.on_demand_usd, listing.spot_min_usd);
    listing.set_spec(&spec)?;
    let seq = listing.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = ListingUpdated { listing: *listing.address(), old_on_demand_usd, old_spot_min_usd, spec, at, seq };
    emit_event!(ctx, event);
    Ok(())
}
