use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct DisputeUsage {
    pub renter: Signer,
    #[account(mut)]
    pub meter: Account<Meter>,
}

/// Freezes what is pending, within its window. Nobody needs to prove anything: a host that disagrees can end the rental.
pub fn dispute_usage(ctx: &mut Context<DisputeUsage>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    meter.require_renter(accounts.renter.address())?;
    let amount = meter.dispute(at)?;
    let seq = meter.next_seq();
    let event = UsageDisputed {
        meter: *meter.address(),
        rental: meter.rental,
        amount,
        accepted: meter.accepted,
        pending: meter.pending,
        disputed: meter.disputed,
        resolve_by: meter.resolve_by(),
        at,
        seq,
    };
    emit_event!(ctx, event)
}
