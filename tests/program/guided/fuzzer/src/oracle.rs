//! Rules that must hold after every transaction, whatever it was.
//!
//! The full audit, with its books of every rental, is in the tests; they replay what the fuzzer keeps.

use std::collections::{HashMap, HashSet};

use litesvm::LiteSVM;
use litesvm::types::TransactionResult;
use solana_account::Account;
use solana_address::Address;
use solana_instruction_error::InstructionError;
use solana_transaction_error::TransactionError;

use crate::ledger::Ledger;
use crate::sequence::{Call, Keys};

pub const TOKEN_PROGRAM: Address = Address::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
pub const TOKEN_ACCOUNT_BYTES: usize = 165;
const SYSTEM_PROGRAM: Address = Address::new_from_array([0; 32]);
/// The first byte after the discriminator of each of the program's accounts.
const KIND: usize = 9;

/// The accounts a transaction may change, before it.
pub struct Before {
    accounts: HashMap<Address, Option<Account>>,
    signers: HashSet<Address>,
    program: Address,
    /// Of each call the program.
    called: Vec<Address>,
}

impl Before {
    pub fn of(calls: &[Call], ledger: &Ledger, keys: &Keys, program: Address) -> Self {
        let mut signers = HashSet::from([ledger.fee_payer]);
        let mut named = HashSet::new();
        for meta in calls.iter().flat_map(|call| &call.accounts) {
            let key = keys.at(meta.key());
            named.insert(key);
            if meta.signs() {
                signers.insert(key);
            }
        }
        let accounts = named.into_iter().map(|key| (key, ledger.svm.get_account(&key))).collect();
        let called = calls.iter().map(|call| keys.at(call.program)).collect();
        Self { accounts, signers, program, called }
    }

    pub fn account(&self, key: &Address) -> Option<&Account> {
        self.accounts.get(key)?.as_ref()
    }

    /// Fault of a transaction's outcome, if it has one.
    pub fn fault(&self, result: &TransactionResult, svm: &LiteSVM) -> Option<String> {
        match result {
            Err(failed) => self.is_unforeseen(&failed.err).then(|| {
                let logs = failed.meta.logs.join("\n    ");
                format!("ended with {:?}\n    {logs}", failed.err)
            }),
            Ok(_) => self.accounts.iter().find_map(|(key, before)| {
                let before = before.as_ref()?;
                let after = svm.get_account(key);
                self.theft(key, before, after.as_ref()).or_else(|| self.disguise(key, before, after.as_ref()))
            }),
        }
    }

    /// True if an error is none that the program gives on purpose. The token program leaves it to the runtime to refuse an
    /// account that must be writable.
    fn is_unforeseen(&self, error: &TransactionError) -> bool {
        let TransactionError::InstructionError(at, error) = error else { return false };
        self.called.get(usize::from(*at)) == Some(&self.program) && is_of_the_runtime(error)
    }

    /// A wallet or its tokens lose what nobody signed for.
    fn theft(&self, key: &Address, before: &Account, after: Option<&Account>) -> Option<String> {
        let (lamports, tokens) = (after.map_or(0, |it| it.lamports), after.and_then(held));
        if before.owner == SYSTEM_PROGRAM && lamports < before.lamports && !self.signers.contains(key) {
            return Some(format!("{key} lost {} lamports and has not signed", before.lamports - lamports));
        }
        let (owner, amount) = held(before)?;
        let is_wallet = owner.is_on_curve();
        let kept = tokens.is_some_and(|(now, left)| now == owner && left >= amount);
        (is_wallet && !kept && !self.signers.contains(&owner))
            .then(|| format!("{key}, tokens of {owner}, held {amount} and now {tokens:?}; its owner has not signed"))
    }

    /// An account of the program's turns into one of another kind, or of another owner.
    fn disguise(&self, key: &Address, before: &Account, after: Option<&Account>) -> Option<String> {
        let after = after.filter(|it| it.lamports > 0)?;
        if before.owner != self.program || before.data.len() < KIND {
            return None;
        }
        let same = after.owner == self.program && after.data.get(..KIND) == before.data.get(..KIND);
        (!same).then(|| format!("{key} is no longer what it was"))
    }
}

/// Owner and amount of a token account.
pub fn held(account: &Account) -> Option<(Address, u64)> {
    if account.owner != TOKEN_PROGRAM || account.data.len() != TOKEN_ACCOUNT_BYTES {
        return None;
    }
    let owner = <[u8; 32]>::try_from(&account.data[32..64]).ok()?;
    let amount = <[u8; 8]>::try_from(&account.data[64..72]).ok()?;
    Some((Address::new_from_array(owner), u64::from_le_bytes(amount)))
}

/// True if the runtime had to stop a program, or it panicked.
fn is_of_the_runtime(error: &InstructionError) -> bool {
    use InstructionError as E;
    matches!(
        error,
        E::ProgramFailedToComplete
            | E::ProgramEnvironmentSetupFailure
            | E::ComputationalBudgetExceeded
            | E::UnbalancedInstruction
            | E::ModifiedProgramId
            | E::ExternalAccountLamportSpend
            | E::ExternalAccountDataModified
            | E::ReadonlyLamportChange
            | E::ReadonlyDataModified
            | E::AccountDataSizeChanged
            | E::InvalidRealloc
            | E::MaxAccountsDataAllocationsExceeded
            | E::CallDepth
    )
}
