use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct WithdrawStake {
    pub owner: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut, address = pool.token_account @ MarketError::WrongPoolAccount)]
    pub pool_token: UncheckedAccount,
    #[account(mut, constraint = stake.owner == *owner.address() @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
    #[account(mut)]
    pub owner_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// All that has cooled down goes back to its owner.
pub fn withdraw_stake(ctx: &mut Context<WithdrawStake>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, account) = (&mut accounts.pool, &mut accounts.stake);
    token::balance_of(accounts.owner_token.account(), &pool.mint, &account.owner)?;
    account.settle(pool)?;
    let amount = account.withdraw(pool, now)?;
    let (bump, view) = ([pool.bump], *pool.account());
    let seeds = StakePool::seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    token::transfer(accounts.pool_token.account(), accounts.owner_token.account(), &view, amount, &signers);
    let event = StakeWithdrawn {
        stake: *account.address(),
        owner: account.owner,
        amount,
        state: StakeState::of(account),
        pool: PoolTotals::of(pool),
        at: now,
        seq: account.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
