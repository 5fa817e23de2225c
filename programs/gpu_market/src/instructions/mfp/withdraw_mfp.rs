use crate::*;
use pinocchio::cpi::Signer as PdaSigner;

#[event_cpi]
#[derive(Accounts)]
pub struct WithdrawMfp {
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

/// All unlocked tokens go back to the host, once the last unlock's delay is over.
pub fn withdraw_mfp(ctx: &mut Context<WithdrawMfp>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    let (catalog, host, authority) = (&mut accounts.catalog, &mut accounts.host, *accounts.authority.address());
    host.require_authority(&authority)?;
    token::balance_of(accounts.authority_token.account(), &catalog.mint, &authority)?;
    let at = Clock::get()?.unix_timestamp;
    let amount = host.withdraw_mfp(at)?;
    catalog.release(amount)?;
    let (bump, view) = ([catalog.bump], *catalog.account());
    let seeds = Catalog::seeds(&bump);
    let signers = [PdaSigner::from(&seeds)];
    token::transfer(accounts.catalog_token.account(), accounts.authority_token.account(), &view, amount, &signers);
    let event = MfpWithdrawn {
        host: *host.address(),
        authority,
        amount,
        total: catalog.locked,
        at,
        host_seq: host.next_seq(),
        catalog_seq: catalog.next_seq(),
    };
    emit_event!(ctx, event)
}
