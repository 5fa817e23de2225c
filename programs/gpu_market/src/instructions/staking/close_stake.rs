use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseStake {
    #[account(mut)]
    pub owner: Signer,
    #[account(mut, constraint = stake.owner == *owner.address() @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
}

/// An account without stake earns nothing, so there is no boundary to pass: all that it could still be owed is in it.
/// Rounding leaves the rest to the pool. Staking again begins from nothing, as the first time.
pub fn close_stake(ctx: &mut Context<CloseStake>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let clock = Clock::get()?;
    let at = clock.unix_timestamp;
    accounts.stake.require_closable(at, clock.slot)?;
    let seq = accounts.stake.next_seq();
    let event = StakeClosed { stake: *accounts.stake.address(), owner: accounts.stake.owner, at, seq };
    accounts.stake.close(*accounts.owner.account())?;
    emit_event!(ctx, event)
}
