//! The one rule by which money leaves for a wallet: SOL as lamports, other tokens into a token account of theirs. Only a
//! wallet that sends the transaction itself chooses which; whoever else sends it, their operator or an executor of a vote
//! too, names the associated one. An account's owner may have let others take what comes in, and forgotten it.

use crate::*;
use anchor_lang::find_program_address;
use pinocchio::cpi::Signer as PdaSigner;
use pinocchio::sysvars::rent::Rent;
use pinocchio::sysvars::Sysvar;

const ASSOCIATED_TOKEN_PROGRAM: Address = Address::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");

/// The caller of what no payee can have sent: it only ever pays into associated accounts.
pub const NOBODY: Address = Address::new_from_array([0; 32]);

/// A wallet that is owed something, and the account that was given to pay it into.
pub struct Payee<'a> {
    pub wallet: &'a Address,
    pub account: &'a AccountView,
    /// Bump that the associated account may have: a right guess saves compute units, a wrong one changes nothing.
    pub bump: u8,
}

/// Payment to make: amount, token account it comes from, and wallet whose transaction it is.
pub struct Due<'a> {
    pub mint: &'a Address,
    pub amount: u64,
    pub from: &'a AccountView,
    pub caller: &'a Address,
    /// Lamports that the same transaction brings the wallet besides.
    pub lamports: u64,
}

/// Pays `amount` base units out of `from`, the token account of `vault`, into `to`: lamports if it is a wallet that is
/// owed SOL.
pub fn pay_from_vault(vault: &Account<Vault>, from: &UncheckedAccount, to: &AccountView, amount: u64) {
    let bump = [vault.bump];
    let seeds = vault.seeds(&bump);
    token::pay_out(from.account(), &vault.mint, to, vault.account(), amount, &[PdaSigner::from(&seeds)]);
}

/// Does what has been gathered to leave the token account of `vault`.
pub fn send_from_vault(vault: &Account<Vault>, outflow: &token::Outflow) {
    let bump = [vault.bump];
    let seeds = vault.seeds(&bump);
    outflow.send(&[PdaSigner::from(&seeds)]);
}

/// True if a wallet takes `lamports`: it has the rent it needs to exist with them, and is no program's account. The runtime
/// lets no program that another calls change the lamports of one, so such a payment would fail the whole transaction.
pub fn stands_with(wallet: &AccountView, lamports: u64) -> Result<bool> {
    if wallet.executable() {
        return Ok(false);
    }
    let held = wallet.lamports().saturating_add(lamports);
    Ok(held >= Rent::get()?.try_minimum_balance(wallet.data_len())?)
}

impl<'a> Payee<'a> {
    pub fn new(wallet: &'a Address, account: &'a AccountView) -> Self {
        Self { wallet, account, bump: u8::MAX }
    }

    /// True if they can be paid now. Somebody else may name no token account but the associated one, and what cannot be
    /// paid is owed only if that one does not take it; any other account is refused, so that nobody makes a debt of what
    /// could have been paid.
    pub fn can_take(&self, due: &Due) -> Result<bool> {
        if token::is_native(due.mint) {
            return self.wallet_stands(due.amount.saturating_add(due.lamports));
        }
        self.can_take_tokens(due)
    }

    /// As [`Payee::can_take`], for a payment in tokens, wrapped SOL too.
    pub fn can_take_tokens(&self, due: &Due) -> Result<bool> {
        if token::is_frozen(due.from) {
            return Ok(false);
        }
        let takes = token::takes(self.account, due.mint, self.wallet);
        if takes && address_eq(due.caller, self.wallet) {
            return Ok(true);
        }
        let is_associated = if takes { self.has_associated(due.mint) } else { self.lacks_associated(due.mint) };
        if !is_associated {
            token::balance_of(self.account, due.mint, self.wallet)?;
            return Err(MarketError::NotAssociated.into());
        }
        Ok(takes)
    }

    /// True if they are paid now. A payment that can wait waits for them; once it `lapses`, it is not paid because of an
    /// account of theirs, but still waits for a vault that is frozen.
    pub fn takes_or_loses(&self, due: &Due, lapses: bool) -> Result<bool> {
        let takes = self.can_take(due)?;
        require!(takes || self.is_at_fault(due, lapses), MarketError::PayeeNotPayable);
        Ok(takes)
    }

    /// True if a payment that they cannot take, and that `lapses`, is lost.
    pub fn is_at_fault(&self, due: &Due, lapses: bool) -> bool {
        lapses && !token::is_frozen(due.from)
    }

    /// As [`Payee::can_take`], for a payment that can wait.
    pub fn require_can_take(&self, due: &Due) -> Result<()> {
        require!(self.can_take(due)?, MarketError::PayeeNotPayable);
        Ok(())
    }

    /// As [`Payee::can_take_tokens`], for a payment that can wait.
    pub fn require_can_take_tokens(&self, due: &Due) -> Result<()> {
        require!(self.can_take_tokens(due)?, MarketError::PayeeNotPayable);
        Ok(())
    }

    /// As [`stands_with`], for the wallet itself.
    fn wallet_stands(&self, lamports: u64) -> Result<bool> {
        require!(address_eq(self.account.address(), self.wallet), MarketError::WrongPayee);
        stands_with(self.account, lamports)
    }

    /// True if the account, one that takes tokens, is the associated one. Token accounts come to be at an address like this
    /// by the associated token program alone, which uses one bump only: whichever fits is that one.
    fn has_associated(&self, mint: &Address) -> bool {
        let seeds = self.associated_seeds(mint);
        let mut bump = self.bump;
        loop {
            let address = Address::derive_address(&seeds, Some(bump), &ASSOCIATED_TOKEN_PROGRAM);
            if address_eq(self.account.address(), &address) {
                return true;
            }
            bump = bump.wrapping_sub(1);
            if bump == self.bump {
                return false;
            }
        }
    }

    /// True if the account, where none may be, is the associated one.
    fn lacks_associated(&self, mint: &Address) -> bool {
        let (address, _) = find_program_address(&self.associated_seeds(mint), &ASSOCIATED_TOKEN_PROGRAM);
        address_eq(self.account.address(), &address)
    }

    fn associated_seeds<'b>(&'b self, mint: &'b Address) -> [&'b [u8]; 3] {
        [self.wallet.as_ref(), token::TOKEN_PROGRAM.as_ref(), mint.as_ref()]
    }
}
