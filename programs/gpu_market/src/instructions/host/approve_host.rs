use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ApproveHost {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub host: Account<Host>,
}

/// The budget applies to subsidies that are drawn from now on.
pub fn approve_host(ctx: &mut Context<ApproveHost>, approved: bool, subsidy_budget: u64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let by = *accounts.authority.address();
    accounts.market.require_authority(&by)?;
    let host = &mut accounts.host;
    let old = core::mem::replace(&mut host.approved, approved.into()) != 0;
    let old_budget = core::mem::replace(&mut host.subsidy_budget, subsidy_budget);
    let event = HostApproved {
        host: *host.address(),
        old,
        new: approved,
        by,
        at: Clock::get()?.unix_timestamp,
        seq: host.next_seq(),
        old_budget,
        new_budget: subsidy_budget,
    };
    emit_event!(ctx, event)
}
