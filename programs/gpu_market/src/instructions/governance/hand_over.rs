use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct HandOver {
    pub authority: Signer,
    #[account(mut, seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(seeds = [b"pool"], bump)]
    pub pool: Account<StakePool>,
    /// It must be there, since only the authority opens it.
    #[account(seeds = [b"catalog"], bump)]
    pub catalog: Account<Catalog>,
    #[account(seeds = [b"governance"], bump)]
    pub governance: UncheckedAccount,
}

/// Final, so it is refused while all active stake together is less than a proposal takes at most.
pub fn hand_over(ctx: &mut Context<HandOver>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let market = &mut accounts.market;
    market.require_authority(accounts.authority.address())?;
    let at = Clock::get()?.unix_timestamp;
    require!(accounts.pool.active_at(at) >= market.proposal_stake.max(1), MarketError::StakeTooSmall);
    let new = *accounts.governance.address();
    let old = core::mem::replace(&mut market.authority, new);
    let seq = market.next_seq();
    let event = AuthorityHandedOver { market: *market.address(), old, new, at, seq };
    emit_event!(ctx, event)
}
