use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SweepFees {
    pub caller: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(mut)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub treasury_token: UncheckedAccount,
    #[account(mut, address = vault.mint @ MarketError::WrongMint)]
    pub mint: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Fees in the market token are burned, kept for stakers and sent to the treasury; in other mints nothing is burned.
pub fn sweep_fees(ctx: &mut Context<SweepFees>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (market, vault) = (&accounts.market, &mut accounts.vault);
    let due = vault.fees_due;
    require!(due > 0, MarketError::ZeroAmount);
    token::balance_of(accounts.treasury_token.account(), &vault.mint, &market.treasury)?;
    let burned = if vault.mint == market.market_mint { math::share_floor(due, market.fee_burn_bps)? } else { 0 };
    let stakers = math::share_floor(due, market.fee_stakers_bps)?;
    let treasury = math::sub(math::sub(due, burned)?, stakers)?;
    vault.sweep(burned, treasury, stakers)?;
    let vault_seq = vault.next_seq();
    let mut outflow = token::Outflow::new(accounts.vault_token.account(), &vault.mint, vault.account());
    outflow.transfer(accounts.treasury_token.account(), treasury);
    outflow.burn(accounts.mint.account(), burned);
    send_from_vault(vault, &outflow);
    let event = FeesSwept {
        vault: *vault.address(),
        mint: vault.mint,
        burned,
        treasury,
        stakers,
        by: *accounts.caller.address(),
        at: Clock::get()?.unix_timestamp,
        vault_seq,
    };
    emit_event!(ctx, event)
}
