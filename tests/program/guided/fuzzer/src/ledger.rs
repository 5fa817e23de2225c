//! The compiled program on a ledger: does a sequence's steps, one after the other.

use anyhow::{Context, Result, anyhow};
use litesvm::LiteSVM;
use litesvm::types::TransactionResult;
use solana_account::Account;
use solana_address::Address;
use solana_clock::Clock;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{VersionedMessage, v0};
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;

use crate::sequence::{Call, Held, Keys, Seeds, Step};

const WALLET_RENT: u64 = 890_880;

/// A ledger in the middle of a sequence.
pub struct Ledger {
    pub svm: LiteSVM,
    pub fee_payer: Address,
}

/// Adds the program and sets the clock to where the seeds begin.
pub fn begin(svm: &mut LiteSVM, seeds: &Seeds, binary: &[u8]) -> Result<()> {
    svm.add_program(seeds.program.parse::<Address>()?, binary)
        .map_err(|error| anyhow!("the program does not load: {error:?}"))?;
    let mut clock = svm.get_sysvar::<Clock>();
    clock.unix_timestamp = seeds.start;
    clock.slot = seeds.slot;
    svm.set_sysvar(&clock);
    Ok(())
}

/// Puts the accounts of the seeded market.
pub fn seed(svm: &mut LiteSVM, accounts: &[Held]) -> Result<()> {
    for held in accounts {
        put(svm, held.key.parse()?, held.lamports, held.data.0.clone(), held.owner.parse()?)?;
    }
    Ok(())
}

impl Ledger {
    /// Outcome of a transaction; nothing for steps that are none, and for calls that fit in none.
    pub fn take(&mut self, step: &Step, keys: &Keys) -> Result<Option<TransactionResult>> {
        match step {
            Step::Act(calls) => {
                let Some(transaction) = self.compiled(calls, keys) else { return Ok(None) };
                return Ok(Some(self.svm.send_transaction(transaction)));
            }
            Step::Pass(seconds, slots) => {
                let mut clock = self.svm.get_sysvar::<Clock>();
                clock.unix_timestamp = clock.unix_timestamp.saturating_add(*seconds);
                clock.slot = clock.slot.saturating_add(*slots);
                self.svm.set_sysvar(&clock);
            }
            Step::Give(key, lamports) => {
                let account = keys.at(*key);
                let mut held = self.svm.get_account(&account).unwrap_or_default();
                if !held.executable {
                    // Nobody can make an account that holds less.
                    held.lamports = held.lamports.saturating_add(*lamports).max(WALLET_RENT);
                    self.set(account, held)?;
                }
            }
            Step::Put(key, lamports, data, owner) => {
                put(&mut self.svm, keys.at(*key), *lamports, data.0.clone(), keys.at(*owner))?;
            }
        }
        Ok(None)
    }

    /// The transaction with blank signatures, if the calls fit in one.
    fn compiled(&self, calls: &[Call], keys: &Keys) -> Option<VersionedTransaction> {
        let instructions: Vec<Instruction> = calls
            .iter()
            .map(|call| Instruction {
                program_id: keys.at(call.program),
                accounts: call
                    .accounts
                    .iter()
                    .map(|meta| AccountMeta {
                        pubkey: keys.at(meta.key()),
                        is_signer: meta.signs(),
                        is_writable: meta.is_writable(),
                    })
                    .collect(),
                data: call.data.0.clone(),
            })
            .collect();
        let message =
            v0::Message::try_compile(&self.fee_payer, &instructions, &[], self.svm.latest_blockhash()).ok()?;
        let signatures = vec![Signature::default(); message.header.num_required_signatures.into()];
        Some(VersionedTransaction { signatures, message: VersionedMessage::V0(message) })
    }

    fn set(&mut self, key: Address, account: Account) -> Result<()> {
        self.svm.set_account(key, account).map_err(|error| anyhow!("{key} cannot be set: {error:?}"))
    }
}

fn put(svm: &mut LiteSVM, key: Address, lamports: u64, data: Vec<u8>, owner: Address) -> Result<()> {
    let account = Account { lamports, data, owner, executable: false, rent_epoch: u64::MAX };
    svm.set_account(key, account).map_err(|error| anyhow!("{error:?}")).with_context(|| format!("cannot put {key}"))
}
