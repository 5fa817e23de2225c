//! Calls of the system program.

use anchor_lang::prelude::*;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};

const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);

const CREATE_ACCOUNT: u8 = 0;
const ASSIGN: u8 = 1;
const TRANSFER: u8 = 2;
const ALLOCATE: u8 = 8;

/// Creates the account at `view` with `lamports` of `payer` and `space` bytes, this program's.
pub fn create_account(payer: &AccountView, view: &AccountView, lamports: u64, space: u64, signers: &[Signer]) {
    let mut data = [0u8; 52];
    data[0] = CREATE_ACCOUNT;
    data[4..12].copy_from_slice(&lamports.to_le_bytes());
    data[12..20].copy_from_slice(&space.to_le_bytes());
    data[20..].copy_from_slice(crate::ID.as_ref());
    let metas =
        [InstructionAccount::writable_signer(payer.address()), InstructionAccount::writable_signer(view.address())];
    invoke(&metas, &[CpiAccount::from(payer), CpiAccount::from(view)], &data, signers);
}

/// Moves `lamports` from the signing wallet `from`.
pub fn transfer(from: &AccountView, to: &AccountView, lamports: u64) {
    let metas = [InstructionAccount::writable_signer(from.address()), InstructionAccount::writable(to.address())];
    let data = tagged::<12>(TRANSFER, &lamports.to_le_bytes());
    invoke(&metas, &[CpiAccount::from(from), CpiAccount::from(to)], &data, &[]);
}

/// Gives the account at `view`, which holds lamports but no data, `space` bytes and makes it this program's.
pub fn take_over(view: &AccountView, space: u64, signers: &[Signer]) {
    let (metas, views) = ([InstructionAccount::writable_signer(view.address())], [CpiAccount::from(view)]);
    invoke(&metas, &views, &tagged::<12>(ALLOCATE, &space.to_le_bytes()), signers);
    invoke(&metas, &views, &tagged::<36>(ASSIGN, crate::ID.as_ref()), signers);
}

fn tagged<const N: usize>(tag: u8, rest: &[u8]) -> [u8; N] {
    let mut data = [0u8; N];
    data[0] = tag;
    data[4..].copy_from_slice(rest);
    data
}

fn invoke(metas: &[InstructionAccount], views: &[CpiAccount], data: &[u8], signers: &[Signer]) {
    let instruction = InstructionView { program_id: &SYSTEM_PROGRAM, accounts: metas, data };
    // SAFETY: unchecked means that nobody looks whether a Rust reference into these accounts' data is alive. Those that
    // pay are wallets without data, and a new account has none before. A failed call aborts the transaction.
    unsafe { invoke_signed_unchecked(&instruction, views, signers) }
}
