use crate::*;

#[event_cpi]
#[derive(Accounts)]
pub struct LockMfp {
    pub authority: Signer,
    #[account(mut)]
    pub catalog: Account<Catalog>,
    #[account(mut, address = catalog.token_account @ MarketError::WrongPoolAccount)]
    pub catalog_token: UncheckedAccount,
    #[account(mut)]
    pub host: Account<Host>,
    #[account(mut)]
    pub authority_token: UncheckedAccount,
    pub token_program: Program<Token>,
}

/// The tokens count at once, for new rentals.
pub fn lock_mfp(ctx: &mut Context<LockMfp>, amount: u64) -> Result<()> {
    require!(amount > 0, MarketError::ZeroAmount);
    let accounts = &mut ctx.accounts;
    let (catalog, host, authority) = (&mut accounts.catalog, &mut accounts.host, *accounts.authority.address());
    host.require_authority(&authority)?;
    let balance = token::balance_of(accounts.authority_token.account(), &catalog.mint, &authority)?;
    require!(balance >= amount, MarketError::InsufficientFunds);
    host.lock_mfp(amount)?;
    catalog.lock(amount)?;
    token::transfer(
        accounts.authority_token.account(),
        accounts.catalog_token.account(),
        accounts.authority.account(),
        amount,
        &[],
    );
    let event = MfpLocked {
        host: *host.address(),
        authority,
        amount,
        locked: host.mfp_locked,
        total: catalog.locked,
        at: Clock::get()?.unix_timestamp,
        host_seq: host.next_seq(),
        catalog_seq: catalog.next_seq(),
    };
    emit_event!(ctx, event)
}
