//! Accounts that hold lamports beyond their rent, created with them in one call of the system program.

use anchor_lang::prelude::*;
use pinocchio::cpi::{Seed, Signer as PdaSigner};
use pinocchio::sysvars::{rent::Rent, Sysvar};

use crate::layout::{stamp, Account, Layout};
use crate::{math, system};

/// Creates this program's account at the address of `seeds`, zeroed but for its discriminator and version. `payer` signs and pays
/// its rent and `beyond` lamports; what somebody has sent there before counts towards them.
pub fn create<T>(view: &AccountView, payer: &AccountView, beyond: u64, seeds: &[Seed]) -> Result<Account<T>>
where
    T: Layout,
{
    let space = size_of::<T>().wrapping_add(T::DISCRIMINATOR.len());
    allocate(view, payer, beyond, space, &[PdaSigner::from(seeds)])?;
    let mut account = *view;
    // SAFETY: the system program has just given this program the account, and nothing else refers to its data.
    let (data, loaded) = unsafe {
        let data = account.borrow_unchecked_mut();
        data[..T::DISCRIMINATOR.len()].copy_from_slice(T::DISCRIMINATOR);
        stamp::<T>(data);
        (data.len(), Account::<T>::load_mut_after_init(*view)?)
    };
    debug_assert_eq!(data, space);
    Ok(loaded)
}

fn allocate(view: &AccountView, payer: &AccountView, beyond: u64, space: usize, signers: &[PdaSigner]) -> Result<()> {
    let lamports = math::add(Rent::get()?.try_minimum_balance(space)?, beyond)?;
    let space = u64::try_from(space).unwrap_or(u64::MAX);
    if view.lamports() == 0 {
        system::create_account(payer, view, lamports, space, signers);
        return Ok(());
    }
    let missing = lamports.saturating_sub(view.lamports());
    if missing > 0 {
        system::transfer(payer, view, missing);
    }
    system::take_over(view, space, signers);
    Ok(())
}
