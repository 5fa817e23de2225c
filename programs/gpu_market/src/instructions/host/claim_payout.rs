use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct ClaimPayout {
    /// May be the host.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub listing: Account<Listing>,
    #[account(mut, address = listing.owed_vault @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The host's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub host_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Pays the host what a listing owes it since its last rental ended; the listing takes orders again.
pub fn claim_payout(ctx: &mut Context<ClaimPayout>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let at = Clock::get()?.unix_timestamp;
    let (listing, vault) = (&mut accounts.listing, &mut accounts.vault);
    let (amount, mint) = (listing.claim()?, vault.mint);
    let (from, caller) = (accounts.vault_token.account(), accounts.caller.address());
    let host = Payee::new(&listing.authority, accounts.host_payout.account());
    host.require_can_take(&Due { mint: &mint, amount, from, caller, lamports: 0 })?;
    vault.pay(amount)?;
    pay_from_vault(vault, &accounts.vault_token, host.account, amount);
    let event = PayoutClaimed {
        listing: *listing.address(),
        authority: listing.authority,
        vault: *vault.address(),
        mint,
        amount,
        at,
        seq: listing.next_seq(),
        vault_seq: vault.next_seq(),
    };
    emit_event!(ctx, event)
}
