use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct RefreshPoints {
    pub caller: Signer,
    pub catalog: Account<Catalog>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// A listing takes the points that the catalog now gives its machine. With nothing new it changes nothing.
pub fn refresh_points(ctx: &mut Context<RefreshPoints>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (host, listing) = (&mut accounts.host, &mut accounts.listing);
    let old = listing.take_points(&accounts.catalog, host)?;
    if old == listing.points {
        return Ok(());
    }
    let event = PointsRefreshed {
        listing: *listing.address(),
        host: *host.address(),
        old,
        new: listing.points,
        host_points: host.points,
        by: *accounts.caller.address(),
        at: Clock::get()?.unix_timestamp,
        seq: listing.next_seq(),
        host_seq: host.next_seq(),
    };
    emit_event!(ctx, event)
}
