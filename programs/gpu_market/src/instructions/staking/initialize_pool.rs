use crate::*;
use anchor_spl::associated_token::get_associated_token_address;

#[event_cpi]
#[derive(Accounts)]
pub struct InitializePool {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(init, payer = authority, seeds = [b"pool"], bump)]
    pub pool: Account<StakePool>,
    /// The pool's associated token account of the market token.
    pub pool_token: UncheckedAccount,
    pub system_program: Program<System>,
}

/// The first epoch begins now.
pub fn initialize_pool(ctx: &mut Context<InitializePool>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let market = &accounts.market;
    market.require_authority(accounts.authority.address())?;
    let (address, mint) = (*accounts.pool.address(), market.market_mint);
    let token_account = *accounts.pool_token.address();
    require!(token_account == get_associated_token_address(&address, &mint), MarketError::WrongPoolAccount);
    token::balance_of(accounts.pool_token.account(), &mint, &address)?;
    let at = Clock::get()?.unix_timestamp;
    let pool = &mut accounts.pool;
    pool.bump = ctx.bumps.pool;
    pool.mint = mint;
    pool.token_account = token_account;
    pool.epoch_started_at = at;
    pool.epoch_ends_at = at.checked_add(market.epoch_seconds.into()).ok_or(MarketError::MathOverflow)?;
    let event = PoolInitialized {
        pool: address,
        mint,
        token_account,
        epoch_ends_at: pool.epoch_ends_at,
        at,
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
