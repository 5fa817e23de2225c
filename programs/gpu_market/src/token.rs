//! SPL Token calls at about 1,200 CU each, and the check every token account passes before one.

use crate::errors::MarketError;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;
use anchor_spl::token::TokenAccount;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};

pub const TOKEN_PROGRAM: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");

const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);
const SYSTEM_TRANSFER: u8 = 2;

/// Requires an initialized, unfrozen SPL Token account of `mint` that belongs to `owner`, and gives its balance.
pub fn balance_of(view: &AccountView, mint: &Address, owner: &Address) -> Result<u64> {
    let account = Account::<TokenAccount>::load(*view).map_err(|_| MarketError::InvalidTokenAccount)?;
    require!(address_eq(account.mint(), mint), MarketError::WrongMint);
    require!(address_eq(account.owner(), owner), MarketError::WrongTokenOwner);
    require!(!account.is_frozen(), MarketError::TokenAccountFrozen);
    Ok(account.amount())
}

/// Moves `amount` base units from `from` to `to`; `authority` owns `from`.
pub fn transfer(from: &AccountView, to: &AccountView, authority: &AccountView, amount: u64, signers: &[Signer]) {
    invoke([from, to, authority], [true, true, false], 3, amount, signers)
}

/// Burns `amount` base units of `mint` from `from`.
pub fn burn(from: &AccountView, mint: &AccountView, authority: &AccountView, amount: u64, signers: &[Signer]) {
    invoke([from, mint, authority], [true, true, false], 8, amount, signers)
}

/// Moves `lamports` from the signing wallet `from` by the system program.
pub fn transfer_lamports(from: &AccountView, to: &AccountView, lamports: u64) -> Result<()> {
    let metas =
        [InstructionAccount::new(from.address(), true, true), InstructionAccount::new(to.address(), true, false)];
    let mut data = [0u8; 12];
    data[0] = SYSTEM_TRANSFER;
    data[4..].copy_from_slice(&lamports.to_le_bytes());
    let instruction = InstructionView { program_id: &SYSTEM_PROGRAM, accounts: &metas, data: &data };
    // SAFETY: the system program writes lamports only, and lamports are read from the account header at each use.
    unsafe { invoke_signed_unchecked(&instruction, &[CpiAccount::from(from), CpiAccount::from(to)], &[]) };
    Ok(())
}

/// The authority is the last account and signs.
fn invoke<const N: usize>(accounts: [&AccountView; N], writable: [bool; N], tag: u8, amount: u64, signers: &[Signer]) {
    let metas: [InstructionAccount; N] = core::array::from_fn(|i| {
        InstructionAccount::new(accounts[i].address(), writable[i], Some(i) == N.checked_sub(1))
    });
    let views: [CpiAccount; N] = core::array::from_fn(|i| CpiAccount::from(accounts[i]));
    let mut data = [tag; 9];
    data[1..].copy_from_slice(&amount.to_le_bytes());
    let instruction = InstructionView { program_id: &TOKEN_PROGRAM, accounts: &metas, data: &data };
    // SAFETY: unchecked means that nobody looks whether a Rust reference into these accounts' data is alive while the
    // token program writes to them. Token accounts and mints are read through accessors that copy, and the authority is
    // not written, so none is. A failed call aborts the transaction.
    unsafe { invoke_signed_unchecked(&instruction, &views, signers) }
}
