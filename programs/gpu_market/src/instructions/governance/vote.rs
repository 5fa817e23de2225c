use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Vote {
    #[account(mut)]
    pub voter: Signer,
    #[account(mut)]
    pub proposal: Account<Proposal>,
    #[account(mut, constraint = address_eq(&stake.owner, voter.address()) @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
    #[account(
        init,
        payer = voter,
        seeds = [b"vote", proposal.address().as_ref(), voter.address().as_ref()],
        bump
    )]
    pub vote_record: Account<VoteRecord>,
    pub system_program: Program<System>,
}

/// Weighs the stake of the voter that has been active since the proposal opened; all of it stays in place until the vote
/// ends. Once per wallet and proposal.
pub fn vote(ctx: &mut Context<Vote>, support: bool) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (proposal, stake, record) = (&mut accounts.proposal, &mut accounts.stake, &mut accounts.vote_record);
    let weight = stake.votes_since(proposal.created_at);
    require!(weight > 0, MarketError::NoActiveStake);
    proposal.count(support, weight, now)?;
    stake.hold_for_vote(proposal.ends_at);
    record.bump = ctx.bumps.vote_record;
    record.support = support.into();
    record.proposal = *proposal.address();
    record.proposal_id = proposal.id;
    record.voter = *accounts.voter.address();
    record.weight = weight;
    record.voted_at = now;
    let event = VoteCast {
        proposal: record.proposal,
        voter: record.voter,
        support,
        weight,
        votes_for: proposal.votes_for,
        votes_against: proposal.votes_against,
        voting_until: stake.voting_until,
        at: now,
        seq: proposal.next_seq(),
        stake_seq: stake.next_seq(),
    };
    emit_event!(ctx, event)
}
