#![allow(unused_variables)] // the accounts macro binds the arguments that seeds use in every place it expands to

use crate::*;
use anchor_spl::associated_token::get_associated_token_address;

#[event_cpi]
#[derive(Accounts)]
#[instruction(shard: [u8; 1])]
pub struct AddVault {
    #[account(mut)]
    pub caller: Signer,
    pub mint: UncheckedAccount,
    #[account(seeds = [b"mint", mint.address().as_ref()], bump = payment_mint.bump)]
    pub payment_mint: Account<PaymentMint>,
    #[account(init, payer = caller, seeds = [b"vault", mint.address().as_ref(), shard.as_ref()], bump)]
    pub vault: Account<Vault>,
    /// The vault's associated token account; whoever made it, it is the vault's.
    pub vault_token: UncheckedAccount,
    pub system_program: Program<System>,
}

pub fn add_vault(ctx: &mut Context<AddVault>, shard: [u8; 1]) -> Result<()> {
    let accounts = &mut ctx.accounts;
    require!(shard[0] < accounts.payment_mint.shards, MarketError::ShardOutOfRange);
    let (mint, address) = (*accounts.mint.address(), *accounts.vault.address());
    let token_account = *accounts.vault_token.address();
    require!(token_account == get_associated_token_address(&address, &mint), MarketError::InvalidTokenAccount);
    token::balance_of(accounts.vault_token.account(), &mint, &address)?;
    let at = Clock::get()?.unix_timestamp;
    let vault = &mut accounts.vault;
    vault.bump = ctx.bumps.vault;
    vault.shard = shard;
    vault.mint = mint;
    vault.token_account = token_account;
    let seq = vault.next_seq();
    let event = VaultAdded { vault: address, mint, shard: shard[0], token_account, at, seq };
    emit_event!(ctx, event)
}
