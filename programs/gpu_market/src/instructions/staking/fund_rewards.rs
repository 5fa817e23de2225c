use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct FundRewards {
    pub funder: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut)]
    pub stream_token: UncheckedAccount,
    #[account(mut)]
    pub funder_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// The tokens are shared over the next epoch that has stakers.
pub fn fund_rewards(ctx: &mut Context<FundRewards>, stream: u8, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, by) = (&mut accounts.pool, *accounts.funder.address());
    let address = *pool.address();
    let rewards = pool.stream_mut(stream)?;
    require!(address_eq(accounts.stream_token.address(), &rewards.token_account), MarketError::WrongPoolAccount);
    let balance = token::balance_of(accounts.funder_token.account(), &rewards.mint, &by)?;
    require!(balance >= amount, MarketError::InsufficientFunds);
    rewards.fund(amount)?;
    let (mint, queued, funded) = (rewards.mint, rewards.queued, rewards.funded);
    token::transfer(
        accounts.funder_token.account(),
        accounts.stream_token.account(),
        accounts.funder.account(),
        amount,
        &[],
    );
    let pool_seq = pool.next_seq();
    let event = RewardsFunded { pool: address, stream, mint, by, amount, queued, funded, at: now, pool_seq };
    emit_event!(ctx, event)
}
