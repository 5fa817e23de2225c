use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ReportUsage {
    pub operator: Signer,
    #[account(mut)]
    pub meter: Account<Meter>,
    /// Until it ends, it says whether it has started and until when storage is charged. It may be gone afterwards.
    #[account(address = meter.rental @ MarketError::WrongRental)]
    pub rental: UncheckedAccount,
    /// Says who its operator is, and when the machine was last heard from; once it is closed, the host's wallet reports.
    #[account(address = meter.listing @ MarketError::WrongListing)]
    pub listing: UncheckedAccount,
}

/// Both totals count from the meter's opening and never fall. What they add can be disputed for the charge window,
/// together with what is still pending, whose window begins again. Nothing is charged before the start, and no storage of
/// a running rental past the machine's last heartbeat.
pub fn report_usage(ctx: &mut Context<ReportUsage>, bandwidth_mb: u64, storage_gb_hours: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    let (reporter, heard_at) = reporter(meter, accounts.listing.account())?;
    require!(address_eq(&reporter, accounts.operator.address()), MarketError::WrongOperator);
    let mut stored_until = at;
    if !meter.has_ended() {
        meter.follow(&*Account::<Rental>::load(*accounts.rental.account())?);
        stored_until = heard_at;
    }
    let added = meter.report(bandwidth_mb, storage_gb_hours, stored_until, at)?;
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
        paid_until: meter.paid_until,
    };
    emit_event!(ctx, event)
}

/// Operator of the machine, and when it was last heard from. A listing's address is never used twice: what this program no
/// longer owns is closed, and holds no running rental.
fn reporter(meter: &Meter, listing: &AccountView) -> Result<(Address, i64)> {
    if !listing.owned_by(&crate::ID) {
        return Ok((meter.authority, 0));
    }
    let listing = Account::<Listing>::load(*listing)?;
    Ok((listing.operator, listing.last_heartbeat_at))
}
