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
    /// The host's wallet for SOL, else any token account of theirs.
    #[account(mut)]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the host what it is owed for good. With nothing to pay it changes nothing.
pub fn settle_meter(ctx: &mut Context<SettleMeter>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let meter = &mut accounts.meter;
    let paid = meter.settle(now)?;
    if paid == 0 {
        return Ok(());
    }
    let to = accounts.host_payout.account();
    Payee::new(&meter.authority, to).require_usable(&meter.mint, paid)?;
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
