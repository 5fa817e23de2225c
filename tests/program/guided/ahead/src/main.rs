//! Replays recorded transactions in the LiteSVM whose runtime is to come, and prints what each left: a line for each
//! sequence, which `python -m tests.program.guided.runtimes` compares with what today's runtime leaves.

#[path = "../../fuzzer/src/ledger.rs"]
mod ledger;
#[allow(dead_code, reason = "the fuzzer changes sequences, which this only runs")]
#[path = "../../fuzzer/src/sequence.rs"]
mod sequence;

use std::path::PathBuf;

use agave_feature_set::{
    FeatureSet, account_data_direct_mapping, direct_account_pointers_in_program_input,
    syscall_parameter_address_restrictions, virtual_address_space_adjustments,
};
use anyhow::{Context, Result, anyhow, bail};
use litesvm::LiteSVM;
use litesvm::types::TransactionResult;
use sha2::{Digest, Sha256};
use solana_account::Account;
use solana_instruction_error::InstructionError;
use solana_rent::Rent;
use solana_sdk_ids::{bpf_loader_upgradeable, sysvar};
use solana_transaction_error::TransactionError;

use crate::ledger::{Ledger, begin, seed};
use crate::sequence::{Keys, Seeds, Step};

const LAMPORTS: u64 = 1_000_000_000_000_000;

fn main() -> Result<()> {
    let [seeds, program, runtime] = arguments()?;
    let binary = std::fs::read(&program).with_context(|| format!("cannot read {}", program.display()))?;
    let seeds = Seeds::read(&seeds)?;
    let bare = machine(features(&runtime.to_string_lossy())?, &seeds, &binary)?;
    let mut seeded = bare.clone();
    seed(&mut seeded, &seeds.accounts)?;
    for sequence in &seeds.sequences {
        let mut keys = Keys::default();
        let sequence = sequence.clone().interned(&mut keys)?;
        let svm = if sequence.bare { bare.clone() } else { seeded.clone() };
        let mut ledger = Ledger { svm, fee_payer: seeds.fee_payer.parse()? };
        let mut left = Vec::new();
        for step in &sequence.steps {
            let result = ledger.take(step, &keys)?;
            if let Step::Act(calls) = step {
                let named = calls.iter().flat_map(|call| call.accounts.iter().map(|meta| meta.key()));
                left.push((outcome(result), digest(&ledger, &keys, named)));
            }
        }
        left.push(("end".into(), digest(&ledger, &keys, 0..keys.count())));
        println!("{}", serde_json::to_string(&left)?);
    }
    Ok(())
}

fn arguments() -> Result<[PathBuf; 3]> {
    let given: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    given.try_into().map_err(|_| anyhow!("usage: ahead SEEDS PROGRAM today|mapped|all"))
}

/// Those that are active: mainnet's, those with the ones that map accounts, or every one that the runtime knows.
fn features(runtime: &str) -> Result<FeatureSet> {
    let mut features = LiteSVM::mainnet_feature_set();
    match runtime {
        "today" => {}
        "mapped" => {
            for feature in [
                syscall_parameter_address_restrictions::id(),
                virtual_address_space_adjustments::id(),
                account_data_direct_mapping::id(),
                direct_account_pointers_in_program_input::id(),
            ] {
                features.activate(&feature, 0);
            }
        }
        "all" => features = FeatureSet::all_enabled(),
        _ => bail!("no runtime: {runtime}"),
    }
    Ok(features)
}

fn machine(features: FeatureSet, seeds: &Seeds, binary: &[u8]) -> Result<LiteSVM> {
    let mut svm = LiteSVM::default()
        .with_feature_set(features)
        .with_builtins()
        .with_lamports(LAMPORTS)
        .with_sysvars()
        .with_default_programs()
        .with_transaction_history(0)
        .with_sigverify(false)
        .with_blockhash_check(false);
    // Mainnet's rent falls in steps, and today's runtime has the one before.
    svm.set_sysvar(&Rent::default());
    begin(&mut svm, seeds, binary)?;
    Ok(svm)
}

/// The program's own error by its number; any other is one of the runtime, whose words differ between versions.
fn outcome(result: Option<TransactionResult>) -> String {
    match result {
        None => "no transaction".into(),
        Some(Ok(_)) => "ok".into(),
        Some(Err(failed)) => match failed.err {
            TransactionError::InstructionError(_, InstructionError::Custom(code)) => code.to_string(),
            _ => "refused".into(),
        },
    }
}

/// Hash of what the accounts at these places hold; programs and sysvars left out, which each version stores its own way.
fn digest(ledger: &Ledger, keys: &Keys, places: impl Iterator<Item = usize>) -> String {
    let mut hash = Sha256::new();
    for place in places {
        let key = keys.at(place);
        if let Some(account) = ledger.svm.get_account(&key).filter(|it| it.lamports > 0 && !foreign(it)) {
            hash.update(key);
            hash.update(account.lamports.to_le_bytes());
            hash.update(account.owner);
            hash.update((account.data.len() as u64).to_le_bytes());
            hash.update(&account.data);
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn foreign(account: &Account) -> bool {
    account.executable || [sysvar::ID, bpf_loader_upgradeable::ID].contains(&account.owner)
}
