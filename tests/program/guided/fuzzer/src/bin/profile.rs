//! Counts the instructions of the compiled program that one transaction runs, by the functions that they come from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use addr2line::Loader;
use anyhow::{Result, anyhow};
use base64::prelude::{BASE64_STANDARD, Engine};
use clap::Parser;
use litesvm::LiteSVM;
use serde::{Deserialize, Serialize};
use solana_account::Account;
use solana_address::Address;
use solana_clock::Clock;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{VersionedMessage, v0};
use solana_program_runtime::invoke_context::RegisterTrace;
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;

#[path = "../traces.rs"]
mod traces;
use traces::{COUNTER, Follow, Watch};

const INSTRUCTION_BYTES: u64 = 8;
const CALL: [u8; 2] = [0x85, 0x8d];
const EXIT: [u8; 2] = [0x95, 0x9d];
const HEADER_TABLE: usize = 32;
const HEADERS: usize = 56;
const HEADER_BYTES: usize = 56;
const EXECUTABLE: u32 = 1;

/// Prints the counts as JSON.
#[derive(Parser)]
struct Options {
    /// File with the transaction and the accounts, as `python -m tests.program.guided.profile` writes it
    #[arg(long)]
    scene: PathBuf,
    /// The program, with debug information
    #[arg(long)]
    program: PathBuf,
}

#[derive(Deserialize)]
struct Scene {
    program: String,
    now: i64,
    slot: u64,
    payer: String,
    /// Address, lamports, data and owner of each.
    accounts: Vec<(String, u64, String, String)>,
    data: String,
    /// Address, whether it signs and whether it is written, of each.
    metas: Vec<(String, bool, bool)>,
}

/// Instructions by the functions around them, the outermost first, and how often each system call was made.
#[derive(Default, Serialize)]
struct Profile {
    compute_units: u64,
    logs: Vec<String>,
    /// Of each time that the program was called, itself by itself included.
    invocations: Vec<BTreeMap<String, u64>>,
    system_calls: BTreeMap<String, u64>,
}

/// Counters of each invocation.
#[derive(Default)]
struct Counters(Vec<Vec<u64>>);

impl Follow for Counters {
    fn follow(&mut self, trace: RegisterTrace) {
        self.0.push(trace.iter().map(|registers| registers[COUNTER]).collect());
    }
}

fn main() -> Result<()> {
    let options = Options::parse();
    let scene: Scene = serde_json::from_str(&std::fs::read_to_string(&options.scene)?)?;
    let binary = std::fs::read(&options.program)?;
    let loader = Loader::new(&options.program).map_err(|error| anyhow!("{error}"))?;
    let (mut profile, traces) = run(&scene, &binary)?;
    let text = text_of(&binary)?;
    for trace in traces {
        let counted = count(&trace, text, &loader, &mut profile.system_calls);
        profile.invocations.push(counted);
    }
    println!("{}", serde_json::to_string(&profile)?);
    Ok(())
}

/// Sends the transaction; gives what it cost and the counters of each invocation.
fn run(scene: &Scene, binary: &[u8]) -> Result<(Profile, Vec<Vec<u64>>)> {
    let program: Address = scene.program.parse()?;
    let watch = Watch::new(program, Counters::default());
    let mut svm = LiteSVM::new_debuggable(true).with_mainnet_features().with_transaction_history(0);
    svm = svm.with_sigverify(false).with_blockhash_check(false);
    svm.set_invocation_inspect_callback(watch.clone());
    svm.add_program(program, binary).map_err(|error| anyhow!("{error:?}"))?;
    let mut clock = svm.get_sysvar::<Clock>();
    (clock.unix_timestamp, clock.slot) = (scene.now, scene.slot);
    svm.set_sysvar(&clock);
    for (address, lamports, data, owner) in &scene.accounts {
        let (data, owner) = (BASE64_STANDARD.decode(data)?, owner.parse()?);
        let account = Account { lamports: *lamports, data, owner, executable: false, rent_epoch: u64::MAX };
        svm.set_account(address.parse()?, account).map_err(|error| anyhow!("{error:?}"))?;
    }
    let metas = scene.metas.iter().map(|(address, is_signer, is_writable)| {
        Ok(AccountMeta { pubkey: address.parse()?, is_signer: *is_signer, is_writable: *is_writable })
    });
    let accounts = metas.collect::<Result<_>>()?;
    let instruction = Instruction { program_id: program, data: BASE64_STANDARD.decode(&scene.data)?, accounts };
    let message = v0::Message::try_compile(&scene.payer.parse()?, &[instruction], &[], svm.latest_blockhash())?;
    let signatures = vec![Signature::default(); message.header.num_required_signatures.into()];
    let transaction = VersionedTransaction { signatures, message: VersionedMessage::V0(message) };
    let done = svm.send_transaction(transaction).map_err(|error| anyhow!("{error:?}"))?;
    let profile = Profile { compute_units: done.compute_units_consumed, logs: done.logs, ..Profile::default() };
    let traces = core::mem::take(&mut watch.follower().0);
    Ok((profile, traces))
}

/// Counts of one invocation; a call whose next instruction is the one behind it is a system call.
fn count(
    trace: &[u64],
    text: &[u8],
    loader: &Loader,
    system_calls: &mut BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let mut counted = BTreeMap::new();
    let mut callers: Vec<Vec<String>> = Vec::new();
    for (i, at) in trace.iter().enumerate() {
        let here = functions(loader, *at);
        let path: Vec<&str> = callers.iter().chain([&here]).flatten().map(String::as_str).collect();
        *counted.entry(path.join(";")).or_default() += 1;
        let Some(code) = text.get((at * INSTRUCTION_BYTES) as usize..).and_then(|rest| rest.first_chunk::<8>()) else {
            continue;
        };
        if EXIT.contains(&code[0]) {
            callers.pop();
        } else if CALL.contains(&code[0]) {
            if trace.get(i + 1) == Some(&(at + 1)) {
                let hash = u32::from_le_bytes([code[4], code[5], code[6], code[7]]);
                *system_calls.entry(format!("{hash:08x}")).or_default() += 1;
            } else {
                callers.push(here);
            }
        }
    }
    counted
}

/// The functions that an instruction comes from, inlined ones too, the outermost first.
fn functions(loader: &Loader, at: u64) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(mut frames) = loader.find_frames(at * INSTRUCTION_BYTES) {
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.and_then(|name| name.demangle().ok().map(|name| name.to_string()));
            names.push(name.unwrap_or_default());
        }
    }
    names.reverse();
    names
}

/// The program's instructions: the first segment that is executable.
fn text_of(binary: &[u8]) -> Result<&[u8]> {
    let word = |at: usize| binary.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u64::from_le_bytes(*bytes));
    let short = || anyhow!("the program is no ELF file");
    let table = word(HEADER_TABLE).ok_or_else(short)? as usize;
    let many = word(HEADERS).ok_or_else(short)? as u16;
    for i in 0..usize::from(many) {
        let header = table + i * HEADER_BYTES;
        let flags = (word(header).ok_or_else(short)? >> 32) as u32;
        let (offset, length) = (word(header + 8).ok_or_else(short)?, word(header + 32).ok_or_else(short)?);
        if flags & EXECUTABLE != 0 {
            return binary.get(offset as usize..(offset + length) as usize).ok_or_else(short);
        }
    }
    Err(short())
}
