use crate::emit_event;
use crate::errors::MarketError;
use crate::events::ListingClosed;
use crate::math;
use crate::state::{Host, Listing};
use anchor_lang::prelude::*;

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

/// An idle listing goes; its rent returns to the host. Its number is never used again.
pub fn close_listing(ctx: &mut Context<CloseListing>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.listing.require_authority(accounts.authority.address())?;
    require!(accounts.listing.is_free(), MarketError::ListingOccupied);
    let open = math::sub(accounts.host.open_listings.into(), 1)?;
    accounts.host.open_listings = u32::try_from(open).map_err(|_| MarketError::MathOverflow)?;
    accounts.host.change_points(accounts.listing.points, 0)?;
    let host_seq = accounts.host.next_seq();
    let seq = accounts.listing.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = ListingClosed {
        listing: *accounts.listing.address(),
        host: *accounts.host.address(),
        at,
        seq,
        host_seq,
        host_points: accounts.host.points,
    };
    accounts.listing.close(*accounts.authority.account())?;
    emit_event!(ctx, event);
    Ok(())
}
