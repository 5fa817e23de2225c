use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Compound {
    pub owner: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut, constraint = stake.owner == *owner.address() @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
}

/// Rewards in the market token become warming stake: they are in the account that keeps the stake already.
pub fn compound(ctx: &mut Context<Compound>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, account) = (&mut accounts.pool, &mut accounts.stake);
    let stream = pool.stream_of(&pool.mint)?;
    account.settle(pool)?;
    let amount = account.claim(pool, stream)?;
    account.stake(pool, amount)?;
    let event = RewardsCompounded {
        stake: *account.address(),
        owner: account.owner,
        stream,
        amount,
        state: StakeState::of(account),
        pool: PoolTotals::of(pool),
        at: now,
        seq: account.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
