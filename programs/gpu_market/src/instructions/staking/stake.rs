use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct Stake {
    #[account(mut)]
    pub owner: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut, address = pool.token_account @ MarketError::WrongPoolAccount)]
    pub pool_token: UncheckedAccount,
    #[account(init_if_needed, payer = owner, seeds = [b"stake", owner.address().as_ref()], bump)]
    pub stake: Account<StakeAccount>,
    #[account(mut)]
    pub owner_token: UncheckedAccount,
    pub token_program: Program<Token>,
    pub system_program: Program<System>,
}

/// The tokens warm up until the epoch ends. The first time, the account is created.
pub fn stake(ctx: &mut Context<Stake>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let clock = Clock::get()?;
    let now = clock.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, account, owner) = (&mut accounts.pool, &mut accounts.stake, *accounts.owner.address());
    let balance = token::balance_of(accounts.owner_token.account(), &pool.mint, &owner)?;
    require!(balance >= amount, MarketError::InsufficientFunds);
    if account.owner == Address::default() {
        account.bump = ctx.bumps.stake;
        account.owner = owner;
        account.next_proposal = clock.slot;
    }
    account.settle(pool)?;
    account.stake(pool, amount)?;
    token::transfer(
        accounts.owner_token.account(),
        accounts.pool_token.account(),
        accounts.owner.account(),
        amount,
        &[],
    );
    let event = Staked {
        stake: *account.address(),
        owner,
        amount,
        state: StakeState::of(account),
        pool: PoolTotals::of(pool),
        at: now,
        seq: account.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
