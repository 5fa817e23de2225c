use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct QueueProposal {
    #[account(mut)]
    pub proposal: Account<Proposal>,
}

/// With quorum and threshold met the timelock starts; without, the proposal is defeated. Counted too late it is neither.
pub fn queue_proposal(ctx: &mut Context<QueueProposal>) -> Result<()> {
    let proposal = &mut ctx.accounts.proposal;
    let at = Clock::get()?.unix_timestamp;
    let state = proposal.decide(at)?;
    let event = ProposalDecided {
        proposal: *proposal.address(),
        state,
        votes_for: proposal.votes_for,
        votes_against: proposal.votes_against,
        execute_at: proposal.execute_at,
        expires_at: proposal.expires_at(),
        at,
        seq: proposal.next_seq(),
    };
    emit_event!(ctx, event)
}
