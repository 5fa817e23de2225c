//! Accounts that hold lamports beyond their rent, created with them in one call of the system program.

use anchor_lang::address_eq;
use anchor_lang::prelude::*;
#[cfg(target_os = "solana")]
use pinocchio::address::syscalls::sol_curve_validate_point;
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
    // Only the program signs for the addresses of seeds; a wallet that signs for the account would stand in for it.
    require!(!view.is_signer(), ErrorCode::ConstraintSeeds);
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

/// The canonical bump of the address `expected`, which must be that of `seeds`. It is for an account that [`create`] makes:
/// the system program then has the runtime derive the address again, which fails for one that is on the curve, so that
/// here only bumps passed over are looked at.
pub fn bump_of<const N: usize>(seeds: &[&[u8]; N], expected: &Address) -> Result<u8> {
    let mut bump = u8::MAX;
    loop {
        let address = Address::derive_address(seeds, Some(bump), &crate::ID);
        if address_eq(&address, expected) {
            return Ok(bump);
        }
        require!(is_on_curve(&address), ErrorCode::ConstraintSeeds);
        bump = bump.checked_sub(1).ok_or(ErrorCode::ConstraintSeeds)?;
    }
}

#[cfg(target_os = "solana")]
fn is_on_curve(address: &Address) -> bool {
    const EDWARDS: u64 = 0;
    // SAFETY: the call reads the 32 bytes of the address, and writes nothing where the result is null.
    unsafe { sol_curve_validate_point(EDWARDS, address.as_ref().as_ptr(), core::ptr::null_mut()) == 0 }
}

/// Nothing runs but on the chain.
#[cfg(not(target_os = "solana"))]
fn is_on_curve(_: &Address) -> bool {
    false
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
