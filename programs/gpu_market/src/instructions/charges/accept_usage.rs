use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct AcceptUsage {
    pub renter: Signer,
    #[account(mut)]
    pub meter: Account<Meter>,
}

/// Accepts the charges that are pending or disputed, so that they can be paid at once.
pub fn accept_usage(ctx: &mut Context<AcceptUsage>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let meter = &mut accounts.meter;
    meter.require_renter(accounts.renter.address())?;
    let at = Clock::get()?.unix_timestamp;
    let amount = meter.accept(at)?;
    let seq = meter.next_seq();
    let event =
        UsageAccepted { meter: *meter.address(), rental: meter.rental, amount, accepted: meter.accepted, at, seq };
    emit_event!(ctx, event)
}
