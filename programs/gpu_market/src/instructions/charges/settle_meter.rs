use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct SettleMeter {
    #[account(mut)]
    pub meter: Account<Meter>,
    #[account(mut, constraint = meter.is_held_by(&vault) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    #[account(mut)]
    pub host_token: UncheckedAccount,
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
    token::balance_of(accounts.host_token.account(), &meter.mint, &meter.authority)?;
    let vault = &mut accounts.vault;
    vault.pay(paid)?;
    let (seq, vault_seq) = (meter.next_seq(), vault.next_seq());
    let (bump, view) = ([vault.bump], *vault.account());
    let seeds = vault.seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    token::transfer(accounts.vault_token.account(), accounts.host_token.account(), &view, paid, &signers);
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
