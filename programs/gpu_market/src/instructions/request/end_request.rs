use crate::*;

/// The accounts of both instructions that end a request without a rental. The renter takes deposit and rent.
#[event_cpi]
#[derive(Accounts)]
pub struct EndRequest {
    /// May be the renter: both only receive lamports.
    #[account(unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub request: Account<Request>,
    #[account(unsafe(dup), address = request.renter @ MarketError::WrongRenter)]
    pub renter: UncheckedAccount,
    #[account(mut, constraint = vault.holds_request(&request) @ MarketError::WrongVault)]
    pub vault: Account<Vault>,
    #[account(mut, address = vault.token_account @ MarketError::WrongVault)]
    pub vault_token: UncheckedAccount,
    /// The renter's wallet for SOL, else their token account, the associated one unless they sign.
    #[account(unsafe(dup))]
    pub renter_payout: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// Facts of an ended request for its event.
pub struct EndedRequest {
    pub request: Address,
    pub renter: Address,
    pub mint: Address,
    pub refunded: u64,
    pub seq: u32,
    pub vault_seq: u64,
}

/// Refunds the deposit and closes the request, once the renter can be paid: until then nobody but they are held up.
/// `tip` lamports go to the caller, the others to the renter.
pub fn refund(accounts: &mut EndRequest, tip: u32) -> Result<EndedRequest> {
    let (request, vault) = (&mut accounts.request, &mut accounts.vault);
    let refunded = vault.release(request.deposit, 0)?;
    let vault_seq = vault.next_seq();
    let renter = Payee::new(&request.renter, accounts.renter_payout.account());
    renter.require_can_take(&Due {
        mint: &request.mint,
        amount: refunded,
        from: accounts.vault_token.account(),
        caller: accounts.caller.address(),
        lamports: request.account().lamports(),
    })?;
    pay_from_vault(vault, &accounts.vault_token, renter.account, refunded);
    let ended = EndedRequest {
        request: *request.address(),
        renter: request.renter,
        mint: request.mint,
        refunded,
        seq: request.next_seq(),
        vault_seq,
    };
    give_tip(request.account(), tip, accounts.caller.account())?;
    request.close(*accounts.renter.account())?;
    Ok(ended)
}
