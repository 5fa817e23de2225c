use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Unstake {
    pub owner: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut, constraint = stake.owner == *owner.address() @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
}

/// The tokens stop counting at once and may leave after the length of an epoch, with all that are cooling down.
pub fn unstake(ctx: &mut Context<Unstake>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, account) = (&mut accounts.pool, &mut accounts.stake);
    account.settle(pool)?;
    let cool_at = now.checked_add(accounts.market.epoch_seconds.into()).ok_or(MarketError::MathOverflow)?;
    let leaving = account.unstake(pool, amount, cool_at, now)?;
    let event = Unstaked {
        stake: *account.address(),
        owner: account.owner,
        from_warming: leaving.from_warming,
        from_active: leaving.from_active,
        forfeited: leaving.forfeited,
        state: StakeState::of(account),
        pool: PoolTotals::of(pool),
        at: now,
        seq: account.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
