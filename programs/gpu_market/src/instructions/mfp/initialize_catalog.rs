use crate::*;
use anchor_spl::associated_token::get_associated_token_address;

#[event_cpi]
#[derive(Accounts)]
pub struct InitializeCatalog {
    #[account(mut)]
    pub authority: Signer,
    #[account(seeds = [b"market"], bump)]
    pub market: Account<Market>,
    #[account(init, payer = authority, seeds = [b"catalog"], bump)]
    pub catalog: Account<Catalog>,
    /// The catalog's associated token account of the market token.
    pub catalog_token: UncheckedAccount,
    pub system_program: Program<System>,
}

/// No model has points yet.
pub fn initialize_catalog(ctx: &mut Context<InitializeCatalog>) -> Result<()> {
    let accounts = &mut ctx.accounts;
    accounts.market.require_authority(accounts.authority.address())?;
    let (address, mint) = (*accounts.catalog.address(), accounts.market.market_mint);
    let token_account = *accounts.catalog_token.address();
    require!(token_account == get_associated_token_address(&address, &mint), MarketError::WrongPoolAccount);
    token::balance_of(accounts.catalog_token.account(), &mint, &address)?;
    let at = Clock::get()?.unix_timestamp;
    let catalog = &mut accounts.catalog;
    catalog.bump = ctx.bumps.catalog;
    catalog.mint = mint;
    catalog.token_account = token_account;
    let event = CatalogInitialized { catalog: address, mint, token_account, at, seq: catalog.next_seq() };
    emit_event!(ctx, event)
}
