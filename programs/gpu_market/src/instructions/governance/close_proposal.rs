use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseProposal {
    #[account(mut)]
    pub proposal: Account<Proposal>,
    #[account(mut, constraint = address_eq(&stake.owner, &proposal.proposer) @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
    /// Only receives lamports.
    #[account(mut, address = proposal.proposer @ MarketError::Unauthorized)]
    pub proposer: UncheckedAccount,
}

/// Once nothing more can become of a proposal its rent goes back to the proposer, who may make another. Anyone.
pub fn close_proposal(ctx: &mut Context<CloseProposal>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (proposal, stake) = (&mut accounts.proposal, &mut accounts.stake);
    require!(proposal.is_over(at), MarketError::ProposalNotOver);
    stake.end_proposal(proposal.address())?;
    let event = ProposalClosed {
        proposal: *proposal.address(),
        proposer: proposal.proposer,
        at,
        seq: proposal.next_seq(),
        stake_seq: stake.next_seq(),
    };
    accounts.proposal.close(*accounts.proposer.account())?;
    emit_event!(ctx, event)
}
