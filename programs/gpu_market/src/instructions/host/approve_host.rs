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

pub fn approve_host(ctx: &mut Context<ApproveHost>, approved: bool) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let by = *accounts.authority.address();
    accounts.market.require_authority(&by)?;
    let host = &mut accounts.host;
    let old = core::mem::replace(&mut host.approved, approved.into()) != 0;
    let seq = host.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = HostApproved { host: *host.address(), old, new: approved, by, at, seq };
    emit_event!(ctx, event)
}
