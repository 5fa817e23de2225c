//! Coverage-guided fuzzing of the compiled program: random changes to what its tests have done, kept where they lead
//! to code that nothing reached before, or where other accounts than before are whose they are. Everything runs in LiteSVM, whose register trace says which code ran.

mod change;
mod edges;
mod guided;
mod ledger;
mod ledgers;
mod lines;
mod oracle;
mod relations;
mod sequence;
mod traces;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use serde::Serialize;

use crate::guided::{Fuzzer, Tally, never};
use crate::lines::Lines;
use crate::sequence::Seeds;

static STOP: AtomicBool = AtomicBool::new(false);

/// Fuzzes the compiled program. Exits 1 if it found a fault.
#[derive(Parser)]
struct Options {
    /// File of what the tests have done, as `python -m tests.program.guided` writes it
    #[arg(long)]
    seeds: PathBuf,
    /// The program, with debug information if lines are to be reported
    #[arg(long)]
    program: PathBuf,
    /// Folder in which sequences that covered something new are kept, and read again
    #[arg(long)]
    corpus: PathBuf,
    /// Seconds to run; 0 only runs what there is
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write figures to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the jumps taken, as numbers, to this file
    #[arg(long)]
    reached: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    seconds: f64,
    sequences: u64,
    transactions: u64,
    kept: usize,
    jumps: usize,
    relations: usize,
    instructions: usize,
    succeeded: &'a BTreeMap<String, u64>,
    never: Vec<&'a String>,
    faults: &'a BTreeMap<String, PathBuf>,
    lines: BTreeMap<String, Lines>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed))?;
    let seeds = Seeds::read(&options.seeds)?;
    let names: Vec<String> = seeds.instructions.values().cloned().collect();
    let binary =
        std::fs::read(&options.program).with_context(|| format!("cannot read {}", options.program.display()))?;
    let mut fuzzer = Fuzzer::new(seeds, &binary, &options.corpus, options.seed, &STOP)?;
    fuzzer.tell();
    fuzzer.fuzz(Duration::from_secs(options.seconds))?;
    fuzzer.tell();
    let lines = lines::covered(&options.program, &fuzzer.reached())?;
    let (reached, of) = lines.values().fold((0, 0), |(some, all), file| (some + file.reached, all + file.of));
    println!("{reached} of {of} lines with code ran");
    let never = never(&fuzzer.tally, names.iter());
    if !never.is_empty() {
        println!("never succeeded: {never:?}");
    }
    if let Some(path) = options.reached {
        std::fs::write(&path, serde_json::to_string(&fuzzer.known.taken())?)?;
    }
    let Tally { sequences, transactions, succeeded, faults, seconds } = &fuzzer.tally;
    if let Some(path) = options.json {
        let report = Report {
            seconds: *seconds,
            sequences: *sequences,
            transactions: *transactions,
            kept: fuzzer.corpus.len(),
            jumps: fuzzer.known.jumps,
            relations: fuzzer.known.relations.len(),
            instructions: names.len(),
            succeeded,
            never,
            faults,
            lines,
        };
        std::fs::write(&path, serde_json::to_string_pretty(&report)?)?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
