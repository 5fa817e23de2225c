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
    /// The treasury's token account, the associated one unless it signs.
    #[account(mut)]
    pub treasury_token: UncheckedAccount,
    #[account(mut, address = vault.mint @ MarketError::WrongMint)]
    pub mint: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Fees in the market token are burned, kept for stakers and sent to the treasury; in other mints nothing is burned. What
/// the treasury cannot take now waits in the vault as its own and holds nothing else up.
pub fn sweep_fees(ctx: &mut Context<SweepFees>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (market, vault) = (&accounts.market, &mut accounts.vault);
    let (fees, waiting) = (vault.fees_due, vault.treasury_due);
    let burned = if vault.mint == market.market_mint { math::share_floor(fees, market.fee_burn_bps)? } else { 0 };
    let stakers = math::share_floor(fees, market.fee_stakers_bps)?;
    let treasury_share = math::sub(math::sub(fees, burned)?, stakers)?;
    let amount = math::add(treasury_share, waiting)?;
    require!(fees > 0 || waiting > 0, MarketError::ZeroAmount);
    let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
    let payee = Payee::new(&market.treasury, accounts.treasury_token.account());
    let is_paid = payee.can_take_tokens(&Due { mint: &vault.mint, amount, from, caller, lamports: 0 })?;
    require!(is_paid || fees > 0, MarketError::PayeeNotPayable);
    let treasury = if is_paid { amount } else { 0 };
    vault.sweep(burned, treasury_share, stakers)?;
    vault.pay_treasury(treasury)?;
    let vault_seq = vault.next_seq();
    let mut outflow = token::Outflow::new(from, &vault.mint, vault.account());
    outflow.transfer(payee.account, treasury);
    outflow.burn(accounts.mint.account(), burned);
    send_from_vault(vault, &outflow);
    let event = FeesSwept {
        vault: *vault.address(),
        mint: vault.mint,
        burned,
        treasury_share,
        treasury,
        stakers,
        by: *accounts.caller.address(),
        at: Clock::get()?.unix_timestamp,
        vault_seq,
    };
    emit_event!(ctx, event)
}
