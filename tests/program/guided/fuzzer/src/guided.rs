//! The loop: change a sequence, run it, keep it if it covered something new.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use sha2::{Digest, Sha256};
use solana_address::Address;

use crate::change::{Surroundings, changed, changed_at};
use crate::edges::{Edges, Known};
use crate::ledgers::Ledgers;
use crate::oracle::{Before, TOKEN_ACCOUNT_BYTES, TOKEN_PROGRAM};
use crate::relations;
use crate::sequence::{Call, DISCRIMINATOR, Keys, Seeds, Sequence, Step};
use crate::traces::Watch;

const MINT: usize = 32;
const NEWEST: usize = 64;
const EVERY: Duration = Duration::from_secs(10);

/// Results of a run.
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
    watch: Watch<Edges>,
    keys: Keys,
    wallets: Vec<usize>,
    alike: HashMap<usize, Rc<[usize]>>,
    tokens: Vec<(usize, usize)>,
    token_program: usize,
    names: HashMap<Vec<u8>, String>,
    pub corpus: Vec<Sequence>,
    /// Places of each instruction in the corpus, by its number.
    places: Vec<Vec<(usize, usize)>>,
    numbers: HashMap<Vec<u8>, usize>,
    pub known: Known,
    pub tally: Tally,
    random: SmallRng,
    folder: &'a Path,
    stop: &'a AtomicBool,
}

impl<'a> Fuzzer<'a> {
    /// Runs the seeds, and what earlier runs kept in `folder`.
    pub fn new(mut seeds: Seeds, binary: &[u8], folder: &'a Path, seed: u64, stop: &'a AtomicBool) -> Result<Self> {
        let watch = Watch::new(seeds.program.parse()?, Edges::new());
        let ledgers = Ledgers::new(&seeds, binary, &watch)?;
        let mut keys = Keys::default();
        let wallets: Vec<usize> =
            seeds.wallets.iter().map(|key| Ok(keys.place(key.parse()?))).collect::<Result<_>>()?;
        let alike = alike(&seeds, &mut keys)?;
        let tokens = tokens(&seeds, &wallets, &mut keys)?;
        let token_program = keys.place(TOKEN_PROGRAM);
        let names: HashMap<Vec<u8>, String> = seeds
            .instructions
            .iter()
            .map(|(hex, name)| Ok((unhex(hex).with_context(|| format!("{hex} is no discriminator"))?, name.clone())))
            .collect::<Result<_>>()?;
        let mut sorted: Vec<&Vec<u8>> = names.keys().collect();
        sorted.sort();
        let numbers: HashMap<Vec<u8>, usize> =
            sorted.into_iter().enumerate().map(|(number, each)| (each.clone(), number)).collect();
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
            alike,
            tokens,
            token_program,
            names,
            corpus: Vec::new(),
            places: vec![Vec::new(); numbers.len()],
            numbers,
            known: Known::new(),
            tally: Tally::default(),
            random: SmallRng::seed_from_u64(seed),
            folder,
            stop,
        };
        for sequence in given {
            if fuzzer.run(&sequence)? {
                fuzzer.add(sequence);
            }
        }
        Ok(fuzzer)
    }

    /// Fuzzes until the time is over or somebody stops it.
    pub fn fuzz(&mut self, time: Duration) -> Result<()> {
        let started = Instant::now();
        let mut told = started;
        while started.elapsed() < time && !self.stop.load(Ordering::Relaxed) {
            let around = Surroundings {
                corpus: &self.corpus,
                wallets: &self.wallets,
                alike: &self.alike,
                tokens: &self.tokens,
                token_program: self.token_program,
                keys: &self.keys,
            };
            let child = match self.random.random_range(0..4) {
                0 | 1 => {
                    // All instructions alike, however seldom they come.
                    let of = &self.places[self.random.random_range(0..self.places.len())];
                    let Some((sequence, step)) = of.choose(&mut self.random) else { continue };
                    changed_at(&self.corpus[*sequence], *step, &around, &mut self.random)
                }
                newest => {
                    // What the newest reached was not reached before.
                    let count = self.corpus.len();
                    let from = if newest == 2 { count.saturating_sub(NEWEST) } else { 0 };
                    changed(&self.corpus[self.random.random_range(from..count)], &around, &mut self.random)
                }
            };
            if self.run(&child)? {
                self.keep(&child)?;
                self.add(child);
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

    fn add(&mut self, sequence: Sequence) {
        for (number, step) in sequence.steps.iter().enumerate() {
            let Step::Act(calls) = step else { continue };
            for at in calls.iter().filter_map(|call| self.numbers.get(call.discriminator()?)) {
                self.places[*at].push((self.corpus.len(), number));
            }
        }
        self.corpus.push(sequence);
    }

    /// Instructions of the program that ever ran.
    pub fn reached(&self) -> Vec<bool> {
        self.watch.follower().reached.clone()
    }

    pub fn tell(&self) {
        let Tally { sequences, transactions, succeeded, faults, seconds } = &self.tally;
        println!(
            "{seconds:>6.0} s  {sequences} sequences, {transactions} transactions ({:.0} a second), {} kept, {} jumps, \
             {} relations, {} of {} instructions succeeded, {} faults",
            *transactions as f64 / seconds.max(1.0),
            self.corpus.len(),
            self.known.jumps,
            self.known.relations.len(),
            succeeded.len(),
            self.names.len(),
            faults.len(),
        );
    }

    /// Runs a sequence from its ledger; a fault ends it and is kept. Whether anything in it is new.
    fn run(&mut self, sequence: &Sequence) -> Result<bool> {
        self.watch.follower().clear();
        self.tally.sequences += 1;
        let mut is_new = false;
        let mut ledger = self.ledgers.start(sequence);
        for (number, step) in sequence.steps.iter().enumerate() {
            let Step::Act(calls) = step else {
                ledger.take(step, &self.keys)?;
                continue;
            };
            let before = Before::of(calls, &ledger, &self.keys, self.ledgers.program);
            let Some(result) = ledger.take(step, &self.keys)? else { continue };
            self.tally.transactions += 1;
            if result.is_ok() {
                self.count(calls);
                for relation in relations::of(calls, &before, &self.keys) {
                    is_new |= self.known.relations.insert(relation);
                }
            }
            if let Some(fault) = before.fault(&result, &ledger.svm) {
                self.report(sequence, number, &fault)?;
                break;
            }
        }
        Ok(self.known.learn(&self.watch.follower()) || is_new)
    }

    fn count(&mut self, calls: &[Call]) {
        for call in calls {
            if let Some(name) = call.discriminator().and_then(|it| self.names.get(it)) {
                *self.tally.succeeded.entry(name.clone()).or_default() += 1;
            }
        }
    }

    /// Keeps the steps that led to a fault, once for each kind of fault and instruction.
    fn report(&mut self, sequence: &Sequence, number: usize, fault: &str) -> Result<()> {
        let Step::Act(calls) = &sequence.steps[number] else { return Ok(()) };
        let called: Vec<&str> =
            calls.iter().filter_map(|call| self.names.get(call.discriminator()?).map(String::as_str)).collect();
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

/// The accounts of the seeded market by kind: owner, size and what their data begins with.
fn alike(seeds: &Seeds, keys: &mut Keys) -> Result<HashMap<usize, Rc<[usize]>>> {
    let mut kinds: HashMap<(&str, usize, &[u8]), Vec<usize>> = HashMap::new();
    for held in &seeds.accounts {
        let data = &held.data.0;
        let start = if held.owner == TOKEN_PROGRAM.to_string() { MINT } else { DISCRIMINATOR };
        let kind = (held.owner.as_str(), data.len(), &data[..start.min(data.len())]);
        kinds.entry(kind).or_default().push(keys.place(held.key.parse()?));
    }
    let mut alike = HashMap::new();
    for kind in kinds.into_values() {
        let kind = Rc::<[usize]>::from(kind);
        alike.extend(kind.iter().map(|key| (*key, kind.clone())));
    }
    Ok(alike)
}

/// Token accounts of the seeded market whose owners may sign, each with its owner.
fn tokens(seeds: &Seeds, wallets: &[usize], keys: &mut Keys) -> Result<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    for account in seeds.accounts.iter().filter(|account| account.owner == TOKEN_PROGRAM.to_string()) {
        let Some(owner) = account.data.0.get(MINT..2 * MINT) else { continue };
        let owner = keys.place(Address::try_from(owner)?);
        if account.data.0.len() == TOKEN_ACCOUNT_BYTES && wallets.contains(&owner) {
            found.push((keys.place(account.key.parse()?), owner));
        }
    }
    Ok(found)
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
    let mut left: Vec<&String> = names.filter(|name| !tally.succeeded.contains_key(*name)).collect();
    left.sort();
    left
}
