use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ReportUsage {
    pub authority: Signer,
    #[account(mut)]
    pub meter: Account<Meter>,
}

/// Both totals count from the meter's opening and never fall. What they add can be disputed for the charge window,
/// together with what is still pending, whose window starts anew.
pub fn report_usage(ctx: &mut Context<ReportUsage>, bandwidth_mb: u64, storage_gb_hours: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    meter.require_authority(accounts.authority.address())?;
    let added = meter.report(bandwidth_mb, storage_gb_hours, at)?;
    let seq = meter.next_seq();
    let event = UsageReported {
        meter: *meter.address(),
        rental: meter.rental,
        bandwidth_mb,
        storage_gb_hours,
        added,
        accepted: meter.accepted,
        pending: meter.pending,
        disputed: meter.disputed,
        dispute_by: meter.dispute_by(),
        at,
        seq,
    };
    emit_event!(ctx, event)
}
