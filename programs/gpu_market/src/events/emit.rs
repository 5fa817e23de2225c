//! The self-CPI that carries an event: what `emit_cpi!` sends, without its heap buffers and account bookkeeping.

use anchor_lang::event::EVENT_IX_TAG_LE;
use anchor_lang::prelude::*;
use anchor_lang::wincode::config::serialize_into;
use anchor_lang::{BorshConfig, BORSH_CONFIG};
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Seed, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};

use crate::{CloseReason, RentalKind, RentalState};

/// Room for nearly every event, so that encoding one allocates once.
const TYPICAL_BYTES: usize = 512;

/// Calls this program with `event` as data; `authority` is the program's event authority, checked as an account.
#[inline(always)]
pub fn emit<E>(event: &E, authority: &AccountView, bump: u8)
where
    E: Discriminator + SchemaWrite<BorshConfig, Src = E>,
{
    send(&encoded(event), authority, bump);
}

/// [`emit`] where every compute unit counts: the call is made here, for 300 bytes of the program and 30 units less.
#[inline(always)]
pub fn emit_here<E>(event: &E, authority: &AccountView, bump: u8)
where
    E: Discriminator + SchemaWrite<BorshConfig, Src = E>,
{
    call(&encoded(event), authority, bump);
}

#[inline(always)]
pub(super) fn encoded<E>(event: &E) -> Vec<u8>
where
    E: Discriminator + SchemaWrite<BorshConfig, Src = E>,
{
    let mut data = Vec::with_capacity(TYPICAL_BYTES);
    data.extend_from_slice(EVENT_IX_TAG_LE);
    data.extend_from_slice(E::DISCRIMINATOR);
    if serialize_into(&mut data, event, BORSH_CONFIG).is_err() {
        panic!("an event that fits memory is always encoded");
    }
    data
}

/// An event of which [`flat_event`] makes the bytes without an encoder.
pub trait FlatEvent {
    /// [`emit`] at the least cost in compute units.
    fn emit(self, authority: &AccountView, bump: u8);
}

/// A type of event fields.
///
/// # Safety
/// Its bytes in memory are those that borsh writes: little-endian, without padding, and all of them initialized.
pub unsafe trait Flat: Copy {}

macro_rules! flat {
    ($($kind:ty),*) => {
        $(
            // SAFETY: integers are little-endian here, a bool is 0 or 1, and the enums are `repr(u8)` with their variants
            // in order.
            unsafe impl Flat for $kind {}
        )*
    };
}
flat!(u8, u16, u32, u64, i64, bool, [u8; 32], Address, CloseReason, RentalKind, RentalState);

/// Defines an event whose fields are all [`Flat`]: what a call carries is one packed struct, filled in place.
#[macro_export]
macro_rules! flat_event {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $kind:tt,)* }) => {
        $(#[$about])*
        #[event]
        pub struct $name { $($(#[$doc])* pub $field: $kind,)* }

        const _: () = {
            #[repr(C, packed)]
            struct Bytes { tag: [u8; 8], discriminator: [u8; 8], $($field: $kind,)* }

            const fn require_flat<T: $crate::events::Flat>() {}
            $(const _: () = require_flat::<$kind>();)*

            impl $name {
                #[inline(always)]
                fn bytes(self) -> Bytes {
                    use anchor_lang::Discriminator;
                    const DISCRIMINATOR: [u8; 8] = *$name::DISCRIMINATOR.first_chunk().unwrap();
                    let tag = anchor_lang::event::EVENT_IX_TAG.to_le_bytes();
                    Bytes { tag, discriminator: DISCRIMINATOR, $($field: self.$field,)* }
                }
            }

            impl Bytes {
                #[inline(always)]
                fn as_slice(&self) -> &[u8] {
                    // SAFETY: packed, so that it has no padding, and each field's bytes are initialized.
                    unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).cast(), size_of::<Self>()) }
                }
            }

            impl $crate::events::FlatEvent for $name {
                #[inline(always)]
                fn emit(self, authority: &AccountView, bump: u8) {
                    $crate::events::call(self.bytes().as_slice(), authority, bump);
                }
            }
        };
    };
}

#[inline(never)]
fn send(data: &[u8], authority: &AccountView, bump: u8) {
    call(data, authority, bump);
}

/// Calls this program's event branch with `data`.
#[inline(always)]
pub fn call(data: &[u8], authority: &AccountView, bump: u8) {
    let accounts = [InstructionAccount::readonly_signer(authority.address())];
    let instruction = InstructionView { program_id: &crate::ID, accounts: &accounts, data };
    let bump = [bump];
    let seeds = [Seed::from(b"__event_authority".as_slice()), Seed::from(&bump)];
    // SAFETY: the one account passed has no data and is not written; the callee is this program's event branch, which
    // touches no account. A failed call aborts the transaction.
    unsafe { invoke_signed_unchecked(&instruction, &[CpiAccount::from(authority)], &[Signer::from(&seeds)]) }
}

/// Emits `$event` through the event authority of `$ctx`; `Ok`, so that a handler can end with it.
#[macro_export]
macro_rules! emit_event {
    ($ctx:ident, $event:expr) => {{
        $crate::events::emit(&$event, $ctx.accounts.event_authority.account(), $ctx.bumps.event_authority);
        anchor_lang::Result::<()>::Ok(())
    }};
}

/// [`emit_event`] by [`emit_here`](crate::events::emit_here).
#[macro_export]
macro_rules! emit_event_here {
    ($ctx:ident, $event:expr) => {{
        $crate::events::emit_here(&$event, $ctx.accounts.event_authority.account(), $ctx.bumps.event_authority);
        anchor_lang::Result::<()>::Ok(())
    }};
}

/// [`emit_event`] of a [`FlatEvent`](crate::events::FlatEvent).
#[macro_export]
macro_rules! emit_flat_event {
    ($ctx:ident, $event:expr) => {{
        $event.emit($ctx.accounts.event_authority.account(), $ctx.bumps.event_authority);
        anchor_lang::Result::<()>::Ok(())
    }};
}
