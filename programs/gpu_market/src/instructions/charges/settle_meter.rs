use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct SettleMeter {
    #[account(mut)]
    pub meter: Account<Meter>,
    #[account(mut, constraint = meter.is_held_by(&vault) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The host's wallet for SOL, else their associated token account.
    #[account(mut)]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the host what it is owed for good. With nothing to pay it changes nothing. `payout_bump` is that of the host's
/// associated account: a wrong one only costs compute units.
pub fn settle_meter(ctx: &mut Context<SettleMeter>, payout_bump: u8) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    let paid = meter.settle(now)?;
    if paid == 0 {
        return Ok(());
    }
    let to = accounts.host_payout.account();
    let from = accounts.vault_token.account();
    let host = Payee { wallet: &meter.authority, account: to, bump: payout_bump };
    host.require_can_take(&Due { mint: &meter.mint, amount: paid, from, caller: &NOBODY, lamports: 0 })?;
    let vault = &mut accounts.vault;
    vault.pay(paid)?;
    let (seq, vault_seq) = (meter.next_seq(), vault.next_seq());
    pay_from_vault(vault, &accounts.vault_token, to, paid);
    let event = MeterSettled {
        meter: *meter.address(),
        rental: meter.rental,
        paid,
        paid_total: meter.paid,
        pending: meter.pending,
        at: now,
        seq,
        vault_seq,
    };
    emit_event!(ctx, event)
}
