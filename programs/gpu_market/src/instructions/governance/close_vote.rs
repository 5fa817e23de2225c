use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseVote {
    #[account(mut)]
    pub vote_record: Account<VoteRecord>,
    /// May be closed, and nothing is ever made at its address again.
    #[account(address = vote_record.proposal @ MarketError::WrongProposal)]
    pub proposal: UncheckedAccount,
    /// Only receives lamports.
    #[account(mut, address = vote_record.voter @ MarketError::WrongVoter)]
    pub voter: UncheckedAccount,
}

/// Gives the voter the rent back once no vote can be cast any more.
pub fn close_vote(ctx: &mut Context<CloseVote>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let proposal = accounts.proposal.account();
    let is_closed = proposal.owned_by(&System::id());
    if !is_closed {
        require!(Account::<Proposal>::load(*proposal)?.vote_over(at), MarketError::VoteOpen);
    }
    let event = VoteClosed { proposal: accounts.vote_record.proposal, voter: accounts.vote_record.voter, at };
    accounts.vote_record.close(*accounts.voter.account())?;
    emit_event!(ctx, event)
}
