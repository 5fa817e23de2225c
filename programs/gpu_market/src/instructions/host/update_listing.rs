use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct UpdateListing {
    pub authority: Signer,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut)]
    pub listing: Account<Listing>,
    /// The machine's, in the catalog or not.
    pub gpu_model: UncheckedAccount,
}

/// Applies to new rentals only: a rental carries its own rates.
pub fn update_listing(ctx: &mut Context<UpdateListing>, spec: ListingSpec) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (host, listing) = (&mut accounts.host, &mut accounts.listing);
    listing.require_authority(accounts.authority.address())?;
    let (old_on_demand_usd, old_spot_min_usd) = (listing.on_demand_usd, listing.spot_min_usd);
    let now = Moment::now()?;
    host.track(&listing.set_spec(&spec, &now)?);
    listing.take_terms(accounts.gpu_model.account(), host)?;
    let event = ListingUpdated {
        listing: *listing.address(),
        old_on_demand_usd,
        old_spot_min_usd,
        spec,
        at: now.at,
        seq: listing.next_seq(),
        host: *host.address(),
        host_seq: host.next_seq(),
        points: listing.points,
        host_points: host.points,
        spec_version: listing.spec_version,
        tracked_seconds: listing.tracked_seconds,
        up_seconds: listing.up_seconds,
        host_tracked_seconds: host.tracked_seconds,
        host_up_seconds: host.up_seconds,
        reference_usd: listing.reference_usd,
    };
    emit_event!(ctx, event)
}
