//! Accounts that hold lamports beyond their rent, created with them in one call of the system program.

use anchor_lang::prelude::*;
use anchor_lang::{bytemuck::Pod, Discriminator, Owner};
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Seed, Signer as PdaSigner};
use pinocchio::instruction::{InstructionAccount, InstructionView};
use pinocchio::sysvars::{rent::Rent, Sysvar};

use crate::{math, token};

const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);
const CREATE_ACCOUNT: u8 = 0;
const ASSIGN: u8 = 1;
const ALLOCATE: u8 = 8;

/// Creates this program's account at the address of `seeds`, zeroed but for its discriminator. `payer` signs and pays
/// its rent and `beyond` lamports; what somebody has sent there before counts towards them.
pub fn create<T>(view: &AccountView, payer: &AccountView, beyond: u64, seeds: &[Seed]) -> Result<Account<T>>
where
    T: Pod + Owner + Discriminator,
{
    let space = size_of::<T>().wrapping_add(T::DISCRIMINATOR.len());
    allocate(view, payer, beyond, space, &[PdaSigner::from(seeds)])?;
    let mut account = *view;
    // SAFETY: the system program has just given this program the account, and nothing else refers to its data.
    let (data, loaded) = unsafe {
        let data = account.borrow_unchecked_mut();
        data[..T::DISCRIMINATOR.len()].copy_from_slice(T::DISCRIMINATOR);
        (data.len(), Account::<T>::load_mut_after_init(*view)?)
    };
    debug_assert_eq!(data, space);
    Ok(loaded)
}

fn allocate(view: &AccountView, payer: &AccountView, beyond: u64, space: usize, signers: &[PdaSigner]) -> Result<()> {
    let lamports = math::add(Rent::get()?.try_minimum_balance(space)?, beyond)?;
    let space = u64::try_from(space).unwrap_or(u64::MAX);
    if view.lamports() == 0 {
        let metas =
            [InstructionAccount::writable_signer(payer.address()), InstructionAccount::writable_signer(view.address())];
        let mut data = [0u8; 52];
        data[0] = CREATE_ACCOUNT;
        data[4..12].copy_from_slice(&lamports.to_le_bytes());
        data[12..20].copy_from_slice(&space.to_le_bytes());
        data[20..].copy_from_slice(crate::ID.as_ref());
        invoke(&metas, &[CpiAccount::from(payer), CpiAccount::from(view)], &data, signers);
        return Ok(());
    }
    let missing = lamports.saturating_sub(view.lamports());
    if missing > 0 {
        token::transfer_lamports(payer, view, missing)?;
    }
    let (metas, views) = ([InstructionAccount::writable_signer(view.address())], [CpiAccount::from(view)]);
    let mut data = [0u8; 12];
    data[0] = ALLOCATE;
    data[4..].copy_from_slice(&space.to_le_bytes());
    invoke(&metas, &views, &data, signers);
    let mut data = [0u8; 36];
    data[0] = ASSIGN;
    data[4..].copy_from_slice(crate::ID.as_ref());
    invoke(&metas, &views, &data, signers);
    Ok(())
}

fn invoke(metas: &[InstructionAccount], views: &[CpiAccount], data: &[u8], signers: &[PdaSigner]) {
    let instruction = InstructionView { program_id: &SYSTEM_PROGRAM, accounts: metas, data };
    // SAFETY: unchecked means that nobody looks whether a Rust reference into these accounts' data is alive. The payer is
    // a wallet without data, and the new account has none before. A failed call aborts the transaction.
    unsafe { invoke_signed_unchecked(&instruction, views, signers) }
}
