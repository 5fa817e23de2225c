use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SetGpuPoints {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub catalog: Account<Catalog>,
}

/// Listings take the new points when they are next created, updated or refreshed.
pub fn set_gpu_points(ctx: &mut Context<SetGpuPoints>, model: u16, points: u16) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let catalog = &mut accounts.catalog;
    let old = catalog.set_points(model, points)?;
    let at = Clock::get()?.unix_timestamp;
    let event = GpuPointsSet { catalog: *catalog.address(), model, old, new: points, at, seq: catalog.next_seq() };
    emit_event!(ctx, event)
}
