use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RefreshListing {
    pub caller: Signer,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut)]
    pub listing: Account<Listing>,
    /// The listing's, in the catalog or not.
    pub gpu_model: UncheckedAccount,
}

/// A listing takes the points and the reference price that the catalog now gives its machine. With nothing new it changes
/// nothing.
pub fn refresh_listing(ctx: &mut Context<RefreshListing>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (host, listing) = (&mut accounts.host, &mut accounts.listing);
    let (old_points, old_reference_usd) = (listing.points, listing.reference_usd);
    listing.take_terms(accounts.gpu_model.account(), host)?;
    if (old_points, old_reference_usd) == (listing.points, listing.reference_usd) {
        return Ok(());
    }
    let event = ListingRefreshed {
        listing: *listing.address(),
        host: *host.address(),
        old_points,
        new_points: listing.points,
        old_reference_usd,
        new_reference_usd: listing.reference_usd,
        host_points: host.points,
        by: *accounts.caller.address(),
        at: Clock::get()?.unix_timestamp,
        seq: listing.next_seq(),
        host_seq: host.next_seq(),
    };
    emit_event!(ctx, event)
}
