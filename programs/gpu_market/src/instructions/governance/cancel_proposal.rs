use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CancelProposal {
    #[account(address = proposal.proposer @ MarketError::Unauthorized)]
    pub proposer: Signer,
    #[account(mut)]
    pub proposal: Account<Proposal>,
}

pub fn cancel_proposal(ctx: &mut Context<CancelProposal>) -> Result<()> {
    let proposal = &mut ctx.accounts.proposal;
    let at = Clock::get()?.unix_timestamp;
    proposal.cancel(at)?;
    let event = ProposalCancelled { proposal: *proposal.address(), at, seq: proposal.next_seq() };
    emit_event!(ctx, event)
}
