use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseListing {
    #[account(mut)]
    pub authority: Signer,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut)]
    pub listing: Account<Listing>,
}

/// An idle listing goes; what it has counted moves to the host, with the time up to now, and its rent returns. Its number
/// is never used again.
pub fn close_listing(ctx: &mut Context<CloseListing>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.require_authority(accounts.authority.address())?;
    require!(accounts.listing.is_free(), MarketError::ListingOccupied);
    require!(accounts.listing.owed == 0, MarketError::PayoutUnclaimed);
    require!(accounts.listing.finished == 0, MarketError::HoldbackPending);
    let now = Moment::now()?;
    let at = now.at;
    accounts.host.track(&accounts.listing.count_time(&now));
    let (host, listing) = (*accounts.host.address(), *accounts.listing.address());
    if let Some(counted) = count_listing(&mut accounts.host, &mut accounts.listing, false) {
        let event = host_counted(&host, &mut accounts.host, vec![counted], at);
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    accounts.host.forget(&accounts.listing)?;
    accounts.host.change_points(accounts.listing.points, 0)?;
    let host_seq = accounts.host.next_seq();
    let seq = accounts.listing.next_seq();
    let event = ListingClosed {
        listing,
        host,
        at,
        seq,
        host_seq,
        host_points: accounts.host.points,
        tracked_seconds: accounts.listing.tracked_seconds,
        up_seconds: accounts.listing.up_seconds,
        host_tracked_seconds: accounts.host.tracked_seconds,
        host_up_seconds: accounts.host.up_seconds,
    };
    accounts.listing.close(*accounts.authority.account())?;
    emit_event!(ctx, event)
}
