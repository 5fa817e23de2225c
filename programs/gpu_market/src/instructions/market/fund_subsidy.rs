use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct FundSubsidy {
    pub funder: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut, constraint = address_eq(&vault.mint, &market.market_mint) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub funder_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

pub fn fund_subsidy(ctx: &mut Context<FundSubsidy>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let accounts = &mut ctx.accounts;
    let by = *accounts.funder.address();
    let balance = token::balance_of(accounts.funder_token.account(), &accounts.vault.mint, &by)?;
    require!(balance >= amount, MarketError::InsufficientFunds);
    let old = accounts.vault.subsidy_pool;
    accounts.vault.fund(amount)?;
    token::transfer(
        accounts.funder_token.account(),
        accounts.vault_token.account(),
        accounts.funder.account(),
        amount,
        &[],
    );
    let vault = &mut accounts.vault;
    let vault_seq = vault.next_seq();
    let at = Clock::get()?.unix_timestamp;
    let event = SubsidyFunded {
        vault: *vault.address(),
        mint: vault.mint,
        by,
        amount,
        old,
        new: vault.subsidy_pool,
        at,
        vault_seq,
    };
    emit_event!(ctx, event)
}
