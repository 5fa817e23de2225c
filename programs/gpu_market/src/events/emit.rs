//! The self-CPI that carries an event: what `emit_cpi!` sends, without its heap buffers and account bookkeeping.

use anchor_lang::event::EVENT_IX_TAG_LE;
use anchor_lang::prelude::*;
use anchor_lang::wincode::config::serialize_into;
use anchor_lang::{BorshConfig, BORSH_CONFIG};
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Seed, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};

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
fn encoded<E>(event: &E) -> Vec<u8>
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

#[inline(never)]
fn send(data: &[u8], authority: &AccountView, bump: u8) {
    call(data, authority, bump);
}

#[inline(always)]
fn call(data: &[u8], authority: &AccountView, bump: u8) {
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
