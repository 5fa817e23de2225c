//! Calls of the token program, each about 1,200 CU however much it does, and the check every token account passes first.
//!
//! The token program is p-token (SIMD-0266): on mainnet since May 2026, in Agave 4.2 and in LiteSVM. Nothing here works
//! with the one before, which has no batch.

use crate::errors::MarketError;
use crate::layout::ForeignAccount;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;
use anchor_spl::token::TokenAccount;
use pinocchio::cpi::{invoke_signed_unchecked, CpiAccount, Signer};
use pinocchio::instruction::{InstructionAccount, InstructionView};

pub const NATIVE_MINT: Address = Address::from_str_const("So11111111111111111111111111111111111111112");
pub const TOKEN_PROGRAM: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");

/// A token account: its mint, its owner, what it is (1 in use, 2 frozen), and its length.
const MINT: core::ops::Range<usize> = 0..32;
const OWNER: core::ops::Range<usize> = 32..64;
const STATE: usize = 108;
const IN_USE: u8 = 1;
const TOKEN_ACCOUNT_BYTES: usize = 165;

const TRANSFER: u8 = 3;
/// Takes wrapped SOL out of a token account as lamports.
const UNWRAP_LAMPORTS: u8 = 45;
const BURN: u8 = 8;
const BATCH: u8 = 255;
/// Bytes of a batch's own, and of what precedes each of its calls: the number of accounts and of bytes.
const BATCH_HEADER: usize = 1;
const CALL_HEADER: usize = 2;
const CALL_ACCOUNTS: usize = 3;
/// Of the longest call, which unwraps lamports: one more than of a transfer.
const CALL_BYTES: usize = 10;
/// The most that is done at once: to pay a host and a renter and to burn.
const MOST_CALLS: usize = 3;
const MOST_BYTES: usize = BATCH_HEADER + MOST_CALLS * (CALL_HEADER + CALL_BYTES);

/// Requires an initialized, unfrozen SPL Token account of `mint` that belongs to `owner`, and gives its balance.
pub fn balance_of(view: &AccountView, mint: &Address, owner: &Address) -> Result<u64> {
    let account = ForeignAccount::<TokenAccount>::load(*view).map_err(|_| MarketError::InvalidTokenAccount)?;
    require!(address_eq(account.mint(), mint), MarketError::WrongMint);
    require!(address_eq(account.owner(), owner), MarketError::WrongTokenOwner);
    require!(!account.is_frozen(), MarketError::TokenAccountFrozen);
    Ok(account.amount())
}

/// True if `mint` is that of wrapped SOL.
pub fn is_native(mint: &Address) -> bool {
    address_eq(mint, &NATIVE_MINT)
}

/// True if `view` is an SPL Token account of `mint` that belongs to `owner` and takes tokens.
pub fn takes(view: &AccountView, mint: &Address, owner: &Address) -> bool {
    let Ok(data) = view.try_borrow() else { return false };
    view.owned_by(&TOKEN_PROGRAM)
        && data.len() == TOKEN_ACCOUNT_BYTES
        && data[STATE] == IN_USE
        && data[MINT] == *mint.as_ref()
        && data[OWNER] == *owner.as_ref()
}

/// True if the token account `view`, one of this program's, is frozen.
pub fn is_frozen(view: &AccountView) -> bool {
    view.try_borrow().is_ok_and(|data| data.get(STATE) != Some(&IN_USE))
}

/// Moves `amount` base units from `from` to `to`; `authority` owns `from`.
pub fn transfer(from: &AccountView, to: &AccountView, authority: &AccountView, amount: u64, signers: &[Signer]) {
    invoke([from, to, authority], [true, true, false], TRANSFER, amount, signers)
}

/// Pays `amount` base units of `mint` out of `from` into `to`: lamports if `to` is a wallet that is owed SOL.
pub fn pay_out(
    from: &AccountView,
    mint: &Address,
    to: &AccountView,
    authority: &AccountView,
    amount: u64,
    signers: &[Signer],
) {
    if !is_native(mint) {
        return transfer(from, to, authority, amount, signers);
    }
    let mut outflow = Outflow::new(from, mint, authority);
    outflow.pay(to, amount);
    outflow.send(signers);
}

/// Outflow of one token account, gathered so that it leaves in one call.
pub struct Outflow<'a> {
    from: &'a AccountView,
    authority: &'a AccountView,
    others: [&'a AccountView; MOST_CALLS],
    is_native: bool,
    calls: usize,
    data: [u8; MOST_BYTES],
    bytes: usize,
}

impl<'a> Outflow<'a> {
    /// `authority` owns `from`, an account of `mint`.
    pub fn new(from: &'a AccountView, mint: &Address, authority: &'a AccountView) -> Self {
        Self {
            from,
            authority,
            others: [from; MOST_CALLS],
            is_native: is_native(mint),
            calls: 0,
            data: [BATCH; MOST_BYTES],
            bytes: BATCH_HEADER,
        }
    }

    /// `amount` base units go to `to`: a token account, or the wallet itself if they are lamports. Of nothing no call is
    /// made.
    pub fn pay(&mut self, to: &'a AccountView, amount: u64) {
        if self.is_native && amount > 0 {
            let [a, b, c, d, e, f, g, h] = amount.to_le_bytes();
            return self.call(to, &[CALL_ACCOUNTS as u8, 10, UNWRAP_LAMPORTS, 1, a, b, c, d, e, f, g, h]);
        }
        self.transfer(to, amount)
    }

    /// `amount` base units go to the token account `to`, wrapped SOL too.
    pub fn transfer(&mut self, to: &'a AccountView, amount: u64) {
        self.call_with(TRANSFER, to, amount)
    }

    /// `amount` base units of `mint` are burned.
    pub fn burn(&mut self, mint: &'a AccountView, amount: u64) {
        self.call_with(BURN, mint, amount)
    }

    fn call_with(&mut self, tag: u8, other: &'a AccountView, amount: u64) {
        if amount == 0 {
            return;
        }
        let [a, b, c, d, e, f, g, h] = amount.to_le_bytes();
        self.call(other, &[CALL_ACCOUNTS as u8, 9, tag, a, b, c, d, e, f, g, h])
    }

    fn call(&mut self, other: &'a AccountView, call: &[u8]) {
        let end = self.bytes.wrapping_add(call.len());
        self.data[self.bytes..end].copy_from_slice(call);
        self.bytes = end;
        self.others[self.calls] = other;
        self.calls = self.calls.wrapping_add(1);
    }

    /// Does what has been gathered, if anything has.
    pub fn send(&self, signers: &[Signer]) {
        match self.calls {
            0 => (),
            // A call that is alone needs no batch around it.
            1 => self.invoke::<1>(BATCH_HEADER + CALL_HEADER, signers),
            2 => self.invoke::<2>(0, signers),
            _ => self.invoke::<MOST_CALLS>(0, signers),
        }
    }

    fn invoke<const N: usize>(&self, begin: usize, signers: &[Signer]) {
        let metas: [[InstructionAccount; CALL_ACCOUNTS]; N] = core::array::from_fn(|i| {
            [
                InstructionAccount::writable(self.from.address()),
                InstructionAccount::writable(self.others[i].address()),
                InstructionAccount::readonly_signer(self.authority.address()),
            ]
        });
        let views: [CpiAccount; MOST_CALLS + 2] = core::array::from_fn(|i| {
            CpiAccount::from(match i {
                0 => self.from,
                1 => self.authority,
                _ => self.others[i.wrapping_sub(2)],
            })
        });
        let data = &self.data[begin..self.bytes];
        let instruction = InstructionView { program_id: &TOKEN_PROGRAM, accounts: metas.as_flattened(), data };
        // SAFETY: as in `invoke`.
        unsafe { invoke_signed_unchecked(&instruction, &views[..N.wrapping_add(2)], signers) }
    }
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
