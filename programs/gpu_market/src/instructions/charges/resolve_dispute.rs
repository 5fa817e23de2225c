use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ResolveDispute {
    #[account(mut)]
    pub meter: Account<Meter>,
}

/// The renter has had the charge window to accept: the disputed amount is dropped.
pub fn resolve_dispute(ctx: &mut Context<ResolveDispute>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    let dropped = meter.resolve(at)?;
    let seq = meter.next_seq();
    let event = DisputeResolved { meter: *meter.address(), rental: meter.rental, dropped, at, seq };
    emit_event!(ctx, event)
}
