#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::*;

#[event_cpi]
#[derive(Accounts)]
#[instruction(id: [u8; 4])]
pub struct CreateListing {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut, seeds = [b"host", authority.address().as_ref()], bump = host.bump)]
    pub host: Account<Host>,
    #[account(init, payer = authority, seeds = [b"listing", host.address().as_ref(), id.as_ref()], bump)]
    pub listing: Account<Listing>,
    /// The machine's, in the catalog or not.
    pub gpu_model: UncheckedAccount,
    pub system_program: Program<System>,
}

/// `id` is the host's next listing number.
pub fn create_listing(ctx: &mut Context<CreateListing>, id: [u8; 4], spec: ListingSpec) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Moment::now()?;
    let at = now.at;
    accounts.market.require_running(PauseArea::Hosts, at)?;
    let id = u32::from_le_bytes(id);
    let authority = *accounts.authority.address();
    let host = &mut accounts.host;
    host.require_authority(&authority)?;
    require!(host.approved != 0, MarketError::HostNotApproved);
    require!(host.next_listing == id, MarketError::NonceMismatch);
    host.next_listing = id.checked_add(1).ok_or(MarketError::MathOverflow)?;
    host.open_listings = host.open_listings.checked_add(1).ok_or(MarketError::MathOverflow)?;
    let host_address = *host.address();
    let listing = &mut accounts.listing;
    listing.bump = ctx.bumps.listing;
    listing.host = host_address;
    listing.authority = authority;
    listing.operator = authority;
    listing.id = id;
    listing.created_at = at;
    listing.idle_since = at;
    listing.set_spec(&spec, &now)?;
    listing.take_terms(accounts.gpu_model.account(), host)?;
    let event = ListingCreated {
        listing: *listing.address(),
        host: host_address,
        authority,
        id,
        spec,
        at,
        seq: listing.next_seq(),
        host_seq: host.next_seq(),
        points: listing.points,
        host_points: host.points,
        spec_version: listing.spec_version,
        reference_usd: listing.reference_usd,
    };
    emit_event!(ctx, event)
}
