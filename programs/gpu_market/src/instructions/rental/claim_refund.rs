use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ClaimRefund {
    /// May be the renter.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub rental: Account<Rental>,
    #[account(unsafe(dup), address = rental.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = vault.holds(&rental) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the renter what an ended rental owes them, and returns its rent.
pub fn claim_refund(ctx: &mut Context<ClaimRefund>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (rental, vault) = (&mut accounts.rental, &mut accounts.vault);
    rental.require_state(RentalState::Ended)?;
    let amount = rental.deposit;
    let renter = Payee::new(&rental.renter, accounts.renter_payout.account());
    renter.require_can_take(&Due {
        mint: &rental.mint,
        amount,
        from: accounts.vault_token.account(),
        caller: accounts.caller.address(),
        lamports: rental.account().lamports(),
    })?;
    vault.give_back(amount)?;
    pay_from_vault(vault, &accounts.vault_token, renter.account, amount);
    let event = RefundClaimed {
        rental: *rental.address(),
        renter: rental.renter,
        mint: rental.mint,
        amount,
        at,
        seq: rental.next_seq(),
        vault_seq: vault.next_seq(),
    };
    rental.close(*accounts.renter.account())?;
    emit_event!(ctx, event)
}
