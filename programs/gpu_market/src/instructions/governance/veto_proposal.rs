use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct VetoProposal {
    pub guardian: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub proposal: Account<Proposal>,
}

/// Stops an upgrade or a payment of the treasury that waits to be executed. The guardian's own replacement is neither.
pub fn veto_proposal(ctx: &mut Context<VetoProposal>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let by = *accounts.guardian.address();
    require!(address_eq(&accounts.market.guardian, &by), MarketError::Unauthorized);
    let proposal = &mut accounts.proposal;
    proposal.veto()?;
    let at = Clock::get()?.unix_timestamp;
    let event = ProposalVetoed { proposal: *proposal.address(), by, at, seq: proposal.next_seq() };
    emit_event!(ctx, event)
}
