use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ReportIssue {
    pub renter: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
}

/// Says what is wrong, usually on the way to stopping; no money moves and nothing is counted.
pub fn report_issue(ctx: &mut Context<ReportIssue>, issue: RentalIssue) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let rental = &mut accounts.rental;
    rental.require_renter(accounts.renter.address())?;
    rental.require_live()?;
    let at = Clock::get()?.unix_timestamp;
    let event = IssueReported { rental: *rental.address(), listing: rental.listing, issue, at, seq: rental.next_seq() };
    emit_event!(ctx, event)
}
