use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct WithdrawUnreserved {
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The authority's associated token account: any executor of a vote borrows the governance's signature.
    #[account(mut)]
    pub authority_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// For the authority, at most `amount`: first what somebody has sent to the vault directly, then of the subsidy pool. What
/// running rentals have reserved, what is owed and what waits to be swept stays. An order that draws on the pool first makes
/// it less, and does not stop what was voted.
pub fn withdraw_unreserved(ctx: &mut Context<WithdrawUnreserved>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let accounts = &mut ctx.accounts;
    let (vault, by) = (&mut accounts.vault, *accounts.authority.address());
    accounts.market.require_authority(&by)?;
    let from = accounts.vault_token.account();
    let balance = token::balance_of(from, &vault.mint, vault.address())?;
    let surplus = amount.min(math::sub(balance, vault.held()?)?);
    let subsidy = math::sub(amount, surplus)?.min(vault.subsidy_pool);
    let amount = math::add(surplus, subsidy)?;
    require!(amount > 0, MarketError::SubsidyPoolTooSmall);
    let payee = Payee::new(&by, accounts.authority_token.account());
    payee.require_can_take_tokens(&Due { mint: &vault.mint, amount, from, caller: &NOBODY, lamports: 0 })?;
    vault.withdraw(subsidy)?;
    let vault_seq = vault.next_seq();
    let mut outflow = token::Outflow::new(from, &vault.mint, vault.account());
    outflow.transfer(accounts.authority_token.account(), amount);
    send_from_vault(vault, &outflow);
    let event = UnreservedWithdrawn {
        vault: *vault.address(),
        mint: vault.mint,
        subsidy,
        surplus,
        by,
        at: Clock::get()?.unix_timestamp,
        vault_seq,
    };
    emit_event!(ctx, event)
}
