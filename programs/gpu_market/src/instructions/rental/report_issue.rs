use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ReportIssue {
    pub renter: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(address = rental.listing @ MarketError::WrongListing)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.host @ MarketError::WrongHost)]
    pub host: Account<Host>,
    #[account(mut, constraint = address_eq(&renter_profile.wallet, &rental.renter) @ MarketError::WrongRenter)]
    pub renter_profile: Account<RenterProfile>,
}

/// Says what is wrong, usually on the way to stopping; no money moves. That the machine is not as listed counts within
/// an hour of the start, if the renter has paid at least the least charge of this rental before: the charge is waived,
/// the rental does not count as completed, and what the renter has paid weighs against the host, at most the market's
/// prior. What has weighed once does not weigh again.
pub fn report_issue(ctx: &mut Context<ReportIssue>, issue: RentalIssue) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (rental, host) = (&mut accounts.rental, &mut accounts.host);
    rental.require_renter(accounts.renter.address())?;
    rental.require_live()?;
    let at = Clock::get()?.unix_timestamp;
    let (mut weight, mut host_seq) = (0, 0);
    if issue == RentalIssue::NotAsListed && rental.is_reportable(at) {
        (weight, host_seq) = accounts.renter_profile.report(rental, host, accounts.market.reputation_prior_usd)?;
    }
    let event = IssueReported {
        rental: *rental.address(),
        renter: rental.renter,
        listing: rental.listing,
        host: *host.address(),
        issue,
        weight,
        at,
        seq: rental.next_seq(),
        host_seq,
    };
    emit_event!(ctx, event)
}
