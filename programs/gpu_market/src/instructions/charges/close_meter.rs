use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct CloseMeter {
    /// May be either party.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub meter: Account<Meter>,
    /// Only receives lamports, so it may pay for the transaction.
    #[account(unsafe(dup), address = meter.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = meter.is_held_by(&vault) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// For a refund: the renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    /// For a payment: the host's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Once the host has had its last report and nothing can be charged any more: the cap is divided and the rent returns.
/// If only one of the two can be paid now, they are, and the meter stays for the other. After a second window what the
/// host is owed is a fee if their own account is the reason.
pub fn close_meter(ctx: &mut Context<CloseMeter>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let now = Clock::get()?.unix_timestamp;
    let (meter, vault) = (&mut accounts.meter, &mut accounts.vault);
    meter.require_final(now)?;
    let (owed, spare) = (math::sub(meter.accepted, meter.paid)?, math::sub(meter.cap, meter.accepted)?);
    let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
    let due = |amount, lamports| Due { mint: &meter.mint, amount, from, caller, lamports };
    let host = Payee::new(&meter.authority, accounts.host_payout.account());
    let renter = Payee::new(&meter.renter, accounts.renter_payout.account());
    let pays_host = owed == 0 || host.can_take(&due(owed, 0))?;
    let loses = !pays_host && host.is_at_fault(&due(owed, 0), meter.payment_lapses(now));
    let (is_done, kept) = (pays_host || loses, if loses { owed } else { 0 });
    let rent = if is_done { meter.account().lamports() } else { 0 };
    let refunds = spare == 0 || renter.can_take(&due(spare, rent))?;
    let (paid_now, refunded) = (if pays_host { owed } else { 0 }, if refunds { spare } else { 0 });
    let closes = is_done && refunds;
    require!(closes || paid_now > 0 || refunded > 0 || kept > 0, MarketError::PayeeNotPayable);

    let mut outflow = token::Outflow::new(from, &meter.mint, vault.account());
    outflow.pay(host.account, paid_now);
    outflow.pay(renter.account, refunded);
    send_from_vault(vault, &outflow);
    vault.pay(paid_now)?;
    vault.give_back(refunded)?;
    vault.keep(kept)?;
    meter.divide(paid_now, refunded, kept)?;
    let event = MeterClosed {
        meter: *meter.address(),
        rental: meter.rental,
        renter: meter.renter,
        listing: meter.listing,
        mint: meter.mint,
        cap: math::add(meter.cap, math::add(refunded, kept)?)?,
        paid: meter.paid,
        paid_now,
        refunded,
        bandwidth_mb: meter.bandwidth_mb,
        storage_gb_hours: meter.storage_gb_hours,
        at: now,
        seq: meter.next_seq(),
        vault_seq: vault.next_seq(),
        host_owed: math::sub(owed, math::add(paid_now, kept)?)?,
        renter_owed: math::sub(spare, refunded)?,
        kept,
    };
    if closes {
        meter.close(*accounts.renter.account())?;
    }
    emit_event!(ctx, event)
}
