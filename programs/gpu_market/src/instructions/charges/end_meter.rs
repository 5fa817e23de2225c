use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct EndMeter {
    #[account(mut)]
    pub meter: Account<Meter>,
    #[account(address = meter.rental @ MarketError::WrongRental)]
    pub rental: UncheckedAccount,
}

/// Once the rental has ended: storage counts no longer, and the host has the charge window to report for the last time.
/// May stand in the transaction that ends the rental.
pub fn end_meter(ctx: &mut Context<EndMeter>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    require!(has_ended(accounts.rental.account())?, MarketError::RentalNotEnded);
    let meter = &mut accounts.meter;
    require!(!meter.has_ended(), MarketError::MeterEnded);
    let at = Clock::get()?.unix_timestamp;
    meter.ended_at = at;
    let seq = meter.next_seq();
    let event = MeterEnded { meter: *meter.address(), rental: meter.rental, report_by: meter.report_by(), at, seq };
    emit_event!(ctx, event)
}

/// A rental's address is never used twice: what this program no longer owns has ended, and what it keeps may have.
fn has_ended(rental: &AccountView) -> Result<bool> {
    Ok(!rental.owned_by(&crate::ID) || Account::<Rental>::load(*rental)?.has_ended())
}
