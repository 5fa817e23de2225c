use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SweepStakers {
    pub caller: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub pool: Account<StakePool>,
    /// The pool's, of the stream; the treasury's, the associated one unless it signs, where the pool has no stream left.
    #[account(mut)]
    pub stream_token: UncheckedAccount,
    #[account(mut)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// The stakers' share of the vault's fees goes to the reward stream of its mint. Once the pool pays in as many mints as
/// it can, the share in any other mint goes to the treasury; until then it waits for a stream.
pub fn sweep_stakers(ctx: &mut Context<SweepStakers>) -> Result<()> {
    let now = Clock::get()?.unix_timestamp;
    if let Some(event) = pass_boundaries(&mut ctx.accounts.pool, &ctx.accounts.market, now)? {
        emit_event!(ctx, event)?;
    }
    let accounts = &mut ctx.accounts;
    let (pool, vault) = (&mut accounts.pool, &mut accounts.vault);
    let address = *pool.address();
    let stream = match pool.stream_of(&vault.mint) {
        Err(_) if pool.is_full() => return release(ctx, now),
        found => found?,
    };
    let rewards = pool.stream_mut(stream)?;
    require!(address_eq(accounts.stream_token.address(), &rewards.token_account), MarketError::WrongPoolAccount);
    let amount = vault.sweep_stakers()?;
    require!(amount > 0, MarketError::ZeroAmount);
    rewards.fund(amount)?;
    let (queued, funded) = (rewards.queued, rewards.funded);
    let mut outflow = token::Outflow::new(accounts.vault_token.account(), &vault.mint, vault.account());
    outflow.transfer(accounts.stream_token.account(), amount);
    send_from_vault(vault, &outflow);
    let event = StakersSwept {
        vault: *vault.address(),
        pool: address,
        stream,
        mint: vault.mint,
        by: *accounts.caller.address(),
        amount,
        queued,
        funded,
        at: now,
        vault_seq: vault.next_seq(),
        pool_seq: pool.next_seq(),
    };
    emit_event!(ctx, event)
}

fn release(ctx: &mut Context<SweepStakers>, at: i64) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let vault = &mut accounts.vault;
    let amount = vault.release_stakers()?;
    require!(amount > 0, MarketError::ZeroAmount);
    let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
    let treasury = Payee::new(&accounts.market.treasury, accounts.stream_token.account());
    treasury.require_can_take_tokens(&Due { mint: &vault.mint, amount, from, caller, lamports: 0 })?;
    let vault_seq = vault.next_seq();
    let mut outflow = token::Outflow::new(accounts.vault_token.account(), &vault.mint, vault.account());
    outflow.transfer(accounts.stream_token.account(), amount);
    send_from_vault(vault, &outflow);
    let event = StakersReleased {
        vault: *vault.address(),
        mint: vault.mint,
        by: *accounts.caller.address(),
        amount,
        at,
        vault_seq,
    };
    emit_event!(ctx, event)
}
