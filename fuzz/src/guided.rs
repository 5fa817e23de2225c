//! The loop: change a sequence, run it, keep it if it covered something new.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::change::{Surroundings, changed};
use crate::edges::{Known, Watch};
use crate::ledger::Ledgers;
use crate::oracle::Before;
use crate::sequence::{Keys, Seeds, Sequence, Step};

const DISCRIMINATOR: usize = 8;
const EVERY: Duration = Duration::from_secs(10);

/// What a run has done.
#[derive(Default)]
pub struct Tally {
    pub sequences: u64,
    pub transactions: u64,
    pub succeeded: BTreeMap<String, u64>,
    pub faults: BTreeMap<String, PathBuf>,
    pub seconds: f64,
}

pub struct Fuzzer<'a> {
    ledgers: Ledgers,
    watch: Watch,
    keys: Keys,
    wallets: Vec<usize>,
    names: HashMap<Vec<u8>, String>,
    pub corpus: Vec<Sequence>,
    pub known: Known,
    pub tally: Tally,
    random: SmallRng,
    folder: &'a Path,
    stop: &'a AtomicBool,
}

impl<'a> Fuzzer<'a> {
    /// Runs the seeds, and what earlier runs kept in `folder`.
    pub fn new(mut seeds: Seeds, binary: &[u8], folder: &'a Path, seed: u64, stop: &'a AtomicBool) -> Result<Self> {
        let watch = Watch::new(seeds.program.parse()?);
        let ledgers = Ledgers::new(&seeds, binary, &watch)?;
        let mut keys = Keys::default();
        let wallets = seeds.wallets.iter().map(|key| Ok(keys.place(key.parse()?))).collect::<Result<_>>()?;
        let names = seeds
            .instructions
            .iter()
            .map(|(hex, name)| Ok((unhex(hex).with_context(|| format!("{hex} is no discriminator"))?, name.clone())))
            .collect::<Result<_>>()?;
        let mut given: Vec<Sequence> =
            seeds.sequences.drain(..).map(|each| each.interned(&mut keys)).collect::<Result<_>>()?;
        fs::create_dir_all(folder.join("faults"))?;
        for file in sequences_in(folder)? {
            let text = fs::read_to_string(&file)?;
            let kept: Sequence = serde_json::from_str(&text).with_context(|| format!("{}", file.display()))?;
            given.push(kept.interned(&mut keys)?);
        }
        let mut fuzzer = Self {
            ledgers,
            watch,
            keys,
            wallets,
            names,
            corpus: Vec::new(),
            known: Known::new(),
            tally: Tally::default(),
            random: SmallRng::seed_from_u64(seed),
            folder,
            stop,
        };
        for sequence in given {
            fuzzer.run(&sequence)?;
            if fuzzer.known.learn(&fuzzer.watch.edges()) {
                fuzzer.corpus.push(sequence);
            }
        }
        Ok(fuzzer)
    }

    /// Fuzzes until the time is over or somebody stops it.
    pub fn fuzz(&mut self, time: Duration) -> Result<()> {
        let started = Instant::now();
        let mut told = started;
        while started.elapsed() < time && !self.stop.load(Ordering::Relaxed) {
            let around = Surroundings { corpus: &self.corpus, wallets: &self.wallets, keys: self.keys.count() };
            // Half of the time one of the newest: what they reached was not reached before.
            let count = self.corpus.len();
            let newest = if self.random.random() { count.saturating_sub(64) } else { 0 };
            let parent = &self.corpus[self.random.random_range(newest..count)];
            let child = changed(parent, &around, &mut self.random);
            self.run(&child)?;
            if self.known.learn(&self.watch.edges()) {
                self.keep(&child)?;
                self.corpus.push(child);
            }
            if told.elapsed() >= EVERY {
                told = Instant::now();
                self.tally.seconds = started.elapsed().as_secs_f64();
                self.tell();
            }
        }
        self.tally.seconds = started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Which of the program's instructions ever ran.
    pub fn reached(&self) -> Vec<bool> {
        self.watch.edges().reached.clone()
    }

    pub fn tell(&self) {
        let Tally { sequences, transactions, succeeded, faults, seconds } = &self.tally;
        println!(
            "{seconds:>6.0} s  {sequences} sequences, {transactions} transactions ({:.0} a second), {} kept, {} jumps, \
             {} of {} instructions succeeded, {} faults",
            *transactions as f64 / seconds.max(1.0),
            self.corpus.len(),
            self.known.jumps,
            succeeded.len(),
            self.names.len(),
            faults.len(),
        );
    }

    /// Runs a sequence from its ledger; a fault ends it and is kept.
    fn run(&mut self, sequence: &Sequence) -> Result<()> {
        self.watch.edges().clear();
        self.tally.sequences += 1;
        let mut ledger = self.ledgers.start(sequence);
        for (number, step) in sequence.steps.iter().enumerate() {
            let before = match step {
                Step::Act(calls) => Some(Before::of(calls, &ledger, &self.keys, self.ledgers.program)),
                _ => None,
            };
            let Some(result) = ledger.take(step, &self.keys)? else { continue };
            self.tally.transactions += 1;
            if let (Ok(_), Step::Act(calls)) = (&result, step) {
                for call in calls {
                    if let Some(name) = call.data.0.get(..DISCRIMINATOR).and_then(|it| self.names.get(it)) {
                        *self.tally.succeeded.entry(name.clone()).or_default() += 1;
                    }
                }
            }
            if let Some(fault) = before.and_then(|it| it.fault(&result, &ledger.svm)) {
                return self.report(sequence, number, &fault);
            }
        }
        Ok(())
    }

    /// Keeps the steps that led to a fault, once for each kind of fault and instruction.
    fn report(&mut self, sequence: &Sequence, number: usize, fault: &str) -> Result<()> {
        let Step::Act(calls) = &sequence.steps[number] else { return Ok(()) };
        let called: Vec<&str> = calls
            .iter()
            .filter_map(|call| self.names.get(call.data.0.get(..DISCRIMINATOR)?).map(String::as_str))
            .collect();
        let kind = format!("{}: {}", called.join("+"), fault.split_whitespace().take(4).collect::<Vec<_>>().join(" "));
        if self.tally.faults.contains_key(&kind) {
            return Ok(());
        }
        let mut steps = sequence.clone();
        steps.steps.truncate(number + 1);
        let path = save(&steps.standing_alone(&self.keys), &self.folder.join("faults"))?;
        println!("FAULT in step {number}, {}: {fault}\n    kept in {}", called.join("+"), path.display());
        self.tally.faults.insert(kind, path);
        Ok(())
    }

    fn keep(&self, sequence: &Sequence) -> Result<PathBuf> {
        save(&sequence.standing_alone(&self.keys), self.folder)
    }
}

/// Files of sequences, oldest first by name.
fn sequences_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    found.sort();
    Ok(found)
}

fn save(sequence: &Sequence, folder: &Path) -> Result<PathBuf> {
    let text = serde_json::to_string(sequence)?;
    let name: String = Sha256::digest(&text).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(name).with_extension("json");
    fs::write(&path, text)?;
    Ok(path)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

/// Instructions that never succeeded.
pub fn never<'n>(tally: &Tally, names: impl Iterator<Item = &'n String>) -> Vec<&'n String> {
    let succeeded: HashSet<&String> = tally.succeeded.keys().collect();
    let mut left: Vec<&String> = names.filter(|name| !succeeded.contains(name)).collect();
    left.sort();
    left
}
