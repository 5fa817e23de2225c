use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct Claim {
    /// Is paid SOL itself.
    #[account(unsafe(dup))]
    pub owner: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    #[account(mut)]
    pub stream_token: UncheckedAccount,
    #[account(mut, constraint = stake.owner == *owner.address() @ MarketError::WrongStakeOwner)]
    pub stake: Account<StakeAccount>,
    /// The owner's wallet for SOL, else any token account of theirs.
    #[account(unsafe(dup))]
    pub owner_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays all that ended epochs have earned in one stream.
pub fn claim(ctx: &mut Context<Claim>, stream: u8) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, account) = (&mut accounts.pool, &mut accounts.stake);
    let rewards = pool.stream(stream)?;
    let mint = rewards.mint;
    require!(address_eq(accounts.stream_token.address(), &rewards.token_account), MarketError::WrongPoolAccount);
    account.settle(pool)?;
    let amount = account.claim(pool, stream)?;
    let owner = Payee::new(&account.owner, accounts.owner_payout.account());
    let from = accounts.stream_token.account();
    owner.require_can_take(&Due { mint: &mint, amount, from, caller: accounts.owner.address(), lamports: 0 })?;
    let (bump, view) = ([pool.bump], *pool.account());
    let seeds = StakePool::seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    token::pay_out(from, &mint, owner.account, &view, amount, &signers);
    let event = RewardsClaimed {
        stake: *account.address(),
        owner: account.owner,
        stream,
        mint,
        amount,
        state: StakeState::of(account),
        at: now,
        seq: account.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}
