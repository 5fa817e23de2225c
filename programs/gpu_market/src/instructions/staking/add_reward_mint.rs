use crate::*;
use anchor_spl::associated_token::get_associated_token_address;

#[event_cpi]
#[derive(Accounts)]
pub struct AddRewardMint {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    pub mint: UncheckedAccount,
    /// The pool's associated token account of the mint.
    pub stream_token: UncheckedAccount,
}

/// The new stream takes the pool's next number and starts empty.
pub fn add_reward_mint(ctx: &mut Context<AddRewardMint>) -> Result<()> {
    let at = Clock::get()?.unix_timestamp;
    ctx.accounts.market.require_authority(ctx.accounts.authority.address())?;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, at)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (address, mint) = (*accounts.pool.address(), *accounts.mint.address());
    require_mint(accounts.mint.account())?;
    let token_account = *accounts.stream_token.address();
    require!(token_account == get_associated_token_address(&address, &mint), MarketError::WrongPoolAccount);
    token::balance_of(accounts.stream_token.account(), &mint, &address)?;
    let pool = &mut accounts.pool;
    let stream = pool.add_stream(&mint, &token_account)?;
    let event = RewardMintAdded { pool: address, stream, mint, token_account, at, pool_seq: pool.next_seq() };
    emit_event!(ctx, event)
}
