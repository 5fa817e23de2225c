//! This program's accounts are loaded only if they have the layout that it knows.

use core::ops::{Deref, DerefMut};

use anchor_lang::accounts::{HeaderOnly, Slab, SlabInit, SlabSchema};
use anchor_lang::bytemuck::{Pod, Zeroable};
use anchor_lang::prelude::*;
use anchor_lang::{Discriminator, Owner};

use crate::*;

/// The kinds of accounts and the version of each one's layout, its first byte behind the discriminator. Whoever changes a
/// layout raises its version here, and adds what migrates the accounts that have the one before.
macro_rules! layouts {
    ($($kind:ident: $version:literal,)*) => {
        $(
            impl Layout for $kind {
                const VERSION: u8 = $version;
            }
            const _: () = assert!(core::mem::offset_of!($kind, version) == 0);
        )*
    };
}

layouts! {
    Catalog: 1,
    GpuModel: 1,
    Host: 1,
    Listing: 1,
    Market: 1,
    Meter: 1,
    PaymentMint: 1,
    Proposal: 1,
    Rental: 1,
    RenterProfile: 1,
    Request: 1,
    StakeAccount: 1,
    StakePool: 1,
    Vault: 1,
    VoteRecord: 1,
}

/// A kind of account whose first byte is the version of its layout.
pub trait Layout: Pod + Owner + Discriminator {
    const VERSION: u8;
}

/// An account of this program, of the kind and the version that it knows.
pub type Account<T> = Slab<Versioned<T>, HeaderOnly>;

/// An account of another program, which that program lays out.
pub type ForeignAccount<T> = Slab<T, HeaderOnly>;

/// An account's data, of the version that this program knows.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Versioned<T>(T);

// SAFETY: it has the layout of T, which may be zeroed.
unsafe impl<T: Zeroable> Zeroable for Versioned<T> {}
// SAFETY: it has the layout of T, which is plain old data.
unsafe impl<T: Pod> Pod for Versioned<T> {}

impl<T> Deref for Versioned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Versioned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Layout> SlabSchema for Versioned<T> {
    const DATA_OFFSET: usize = T::DATA_OFFSET;
    const MIN_DATA_LEN: usize = T::MIN_DATA_LEN;

    #[inline(always)]
    fn validate(view: &AccountView, data: &[u8]) -> core::result::Result<(), ProgramError> {
        T::validate(view, data)?;
        require!(data.get(Self::DATA_OFFSET) == Some(&T::VERSION), MarketError::WrongLayout);
        Ok(())
    }
}

impl<T: Layout> SlabInit for Versioned<T> {
    type Params<'a> = ();

    #[inline(always)]
    fn create_and_initialize<'a>(
        payer: &AccountView,
        account: &AccountView,
        space: usize,
        params: &(),
        signers: Option<&[&[u8]]>,
        payer_signers: Option<&[&[u8]]>,
    ) -> core::result::Result<(), ProgramError> {
        T::create_and_initialize(payer, account, space, params, signers, payer_signers)?;
        let mut created = *account;
        // SAFETY: the system program has just given this program the account, and nothing else refers to its data.
        let data = unsafe { created.borrow_unchecked_mut() };
        stamp::<T>(data);
        Ok(())
    }
}

#[cfg(feature = "idl-build")]
impl<T: anchor_lang::IdlAccountType> anchor_lang::IdlAccountType for Versioned<T> {
    const __IDL_ACCOUNT_ENTRY: Option<&'static str> = T::__IDL_ACCOUNT_ENTRY;
    const __IDL_TYPE_DEF: Option<&'static str> = T::__IDL_TYPE_DEF;

    fn __idl_account_entry() -> Option<&'static str> {
        T::__idl_account_entry()
    }

    fn __idl_type_def() -> Option<&'static str> {
        T::__idl_type_def()
    }

    fn __register_idl_deps(accounts: &mut Vec<&'static str>, types: &mut Vec<&'static str>) {
        T::__register_idl_deps(accounts, types);
    }
}

/// Writes the version of a new account of this kind.
#[inline(always)]
pub fn stamp<T: Layout>(data: &mut [u8]) {
    data[T::DISCRIMINATOR.len()] = T::VERSION;
}
