#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::*;

#[event_cpi]
#[derive(Accounts)]
#[instruction(nonce: [u8; 8])]
pub struct CreateProposal {
    #[account(mut)]
    pub proposer: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(seeds = [b"pool"], bump)]
    pub pool: Account<StakePool>,
    #[account(mut, constraint = address_eq(&stake.owner, proposer.address()) @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
    #[account(init, payer = proposer, seeds = [b"proposal", proposer.address().as_ref(), nonce.as_ref()], bump)]
    pub proposal: Account<Proposal>,
    pub system_program: Program<System>,
}

/// `nonce` is the stake account's next one, so nobody else's proposals change the address; the market numbers the proposal
/// when it lands. `title` goes into the event alone. The proposer's stake stays until the vote ends, and they make no other
/// proposal before this one is closed.
pub fn create_proposal(ctx: &mut Context<CreateProposal>, nonce: [u8; 8], action: Action, title: String) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (market, stake, proposal) = (&mut accounts.market, &mut accounts.stake, &mut accounts.proposal);
    let nonce = u64::from_le_bytes(nonce);
    let eligible = accounts.pool.active_at(now);
    require!(stake.active_at(now) >= market.stake_to_propose(eligible)?, MarketError::StakeTooSmall);
    require!(title.len() <= usize::from(MAX_TITLE_BYTES), MarketError::TitleTooLong);
    action.check(market.is_testing())?;
    stake.begin_proposal(proposal.address(), nonce)?;

    proposal.bump = ctx.bumps.proposal;
    proposal.proposer = *accounts.proposer.address();
    proposal.nonce = nonce;
    proposal.open(market, eligible, &action, now)?;
    stake.hold_for_vote(proposal.ends_at);
    let event = ProposalCreated {
        proposal: *proposal.address(),
        id: proposal.id,
        proposer: proposal.proposer,
        eligible: proposal.eligible,
        quorum_bps: proposal.quorum_bps,
        threshold_bps: proposal.threshold_bps,
        timelock: proposal.timelock,
        ends_at: proposal.ends_at,
        at: now,
        seq: proposal.next_seq(),
        market_seq: market.next_seq(),
        stake_seq: stake.next_seq(),
        critical: proposal.critical != 0,
        action,
        title,
    };
    emit_event!(ctx, event)
}
