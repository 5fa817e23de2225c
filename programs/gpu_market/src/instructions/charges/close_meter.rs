use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseMeter {
    #[account(mut)]
    pub meter: Account<Meter>,
    /// Only receives lamports, so it may pay for the transaction.
    #[account(unsafe(dup), address = meter.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = meter.is_held_by(&vault) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// Any token account of the renter; looked at only when there is a refund.
    #[account(mut)]
    pub renter_token: UncheckedAccount,
    /// Any token account of the host; looked at only when there is a payment.
    #[account(mut)]
    pub host_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Once the host has had its last report and nothing can be charged any more: the cap is divided and the rent returns.
pub fn close_meter(ctx: &mut Context<CloseMeter>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (meter, vault) = (&mut accounts.meter, &mut accounts.vault);
    meter.require_final(now)?;
    let paid_now = meter.settle(now)?;
    let refunded = math::sub(meter.cap, meter.paid)?;
    vault.pay(paid_now)?;
    vault.give_back(refunded)?;
    let (seq, vault_seq) = (meter.next_seq(), vault.next_seq());
    let (bump, view) = ([vault.bump], *vault.account());
    let seeds = vault.seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    let from = accounts.vault_token.account();
    if paid_now > 0 {
        token::balance_of(accounts.host_token.account(), &meter.mint, &meter.authority)?;
        token::transfer(from, accounts.host_token.account(), &view, paid_now, &signers);
    }
    if refunded > 0 {
        token::balance_of(accounts.renter_token.account(), &meter.mint, &meter.renter)?;
        token::transfer(from, accounts.renter_token.account(), &view, refunded, &signers);
    }
    let event = MeterClosed {
        meter: *meter.address(),
        rental: meter.rental,
        renter: meter.renter,
        listing: meter.listing,
        mint: meter.mint,
        cap: meter.cap,
        paid: meter.paid,
        paid_now,
        refunded,
        bandwidth_mb: meter.bandwidth_mb,
        storage_gb_hours: meter.storage_gb_hours,
        at: now,
        seq,
        vault_seq,
    };
    meter.close(*accounts.renter.account())?;
    emit_event!(ctx, event)
}
