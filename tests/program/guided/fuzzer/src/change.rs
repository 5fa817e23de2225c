//! Changes to sequences: what to try next.

use std::collections::HashMap;
use std::rc::Rc;

use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::{IndexedRandom, SliceRandom};

use crate::sequence::{Bytes, Call, DISCRIMINATOR, Keys, Meta, Sequence, Step};

const SLOTS_A_SECOND: u64 = 5;
const LONGEST: usize = 80;
const MOST_CALLS: usize = 6;
const AFTER: usize = 16;
const MOST_BYTES: usize = 900;
const MOST_GIVEN: u64 = 1 << 50;
/// Instructions of the token program, and an authority and an option in their data.
const APPROVE: u8 = 4;
const REVOKE: u8 = 5;
const SET_AUTHORITY: u8 = 6;
const CLOSE_ACCOUNT: u8 = 3;
const SOME: u8 = 1;
/// Seconds next to which rules change.
const TIMES: [i64; 16] =
    [1, 15, 30, 59, 60, 90, 120, 300, 600, 900, 1_800, 3_600, 86_400, 604_800, 2_592_000, 17_280_000];

/// Material that changes may use in addition to the sequence itself.
pub struct Surroundings<'a> {
    pub corpus: &'a [Sequence],
    /// Places of the addresses that may sign.
    pub wallets: &'a [usize],
    /// Accounts of the same kind as one: for a token account those of its mint.
    pub alike: &'a HashMap<usize, Rc<[usize]>>,
    /// Token accounts of the seeded market whose owners may sign, each with its owner.
    pub tokens: &'a [(usize, usize)],
    pub token_program: usize,
    /// Every address.
    pub keys: &'a Keys,
}

/// A changed copy of a sequence.
pub fn changed(parent: &Sequence, around: &Surroundings, random: &mut SmallRng) -> Sequence {
    let mut child = parent.clone();
    for _ in 0..1 << random.random_range(0..4) {
        change(&mut child, around, random);
    }
    child.steps.truncate(LONGEST.max(parent.steps.len()));
    child
}

/// A copy that ends a few steps after one of its transactions, which is another one.
pub fn changed_at(parent: &Sequence, at: usize, around: &Surroundings, random: &mut SmallRng) -> Sequence {
    let mut child = parent.clone();
    child.steps.truncate(at + 1 + random.random_range(0..AFTER));
    if let Some(Step::Act(calls)) = child.steps.get_mut(at) {
        for _ in 0..1 << random.random_range(0..2) {
            change_calls(calls, around, random);
        }
    }
    if random.random_ratio(1, 4) {
        child.steps.insert(at, pause(random));
    }
    child
}

fn change(sequence: &mut Sequence, around: &Surroundings, random: &mut SmallRng) {
    let steps = &mut sequence.steps;
    if steps.is_empty() {
        return splice(sequence, around, random);
    }
    let count = steps.len();
    let at = random.random_range(0..count);
    match random.random_range(0..22) {
        0 => drop(steps.remove(at)),
        1 => steps.insert(at, steps[at].clone()),
        2 => steps.push(steps[at].clone()),
        3 => steps.swap(at, (at + 1) % count),
        4 => steps.insert(at, pause(random)),
        5 => join(steps, at),
        6 | 7 => splice(sequence, around, random),
        8 | 9 => borrow(sequence, around, random),
        10 => steps.insert(at, gift(&steps[at], around, random)),
        11 => steps.splice(at..at, permission(around, random)).for_each(drop),
        _ => match &mut steps[at] {
            Step::Act(calls) => change_calls(calls, around, random),
            Step::Pass(seconds, slots) => change_pause(seconds, slots, random),
            Step::Give(_, lamports) => *lamports = interesting(*lamports, random).min(MOST_GIVEN),
            Step::Put(..) => {}
        },
    }
}

/// The end of another sequence instead of this one's.
fn splice(sequence: &mut Sequence, around: &Surroundings, random: &mut SmallRng) {
    let Some(other) = around.corpus.choose(random).filter(|other| other.bare == sequence.bare) else { return };
    let cut = random.random_range(0..=sequence.steps.len());
    let from = random.random_range(0..=other.steps.len());
    sequence.steps.truncate(cut);
    sequence.steps.extend_from_slice(&other.steps[from..]);
}

/// A few steps of another sequence in between.
fn borrow(sequence: &mut Sequence, around: &Surroundings, random: &mut SmallRng) {
    let Some(other) = around.corpus.choose(random) else { return };
    if other.steps.is_empty() || other.bare != sequence.bare {
        return;
    }
    let from = random.random_range(0..other.steps.len());
    let to = (from + random.random_range(1..=4)).min(other.steps.len());
    let at = random.random_range(0..=sequence.steps.len());
    sequence.steps.splice(at..at, other.steps[from..to].iter().cloned());
}

/// One transaction of two.
fn join(steps: &mut Vec<Step>, at: usize) {
    if let (Some(Step::Act(one)), Some(Step::Act(next))) = (steps.get(at), steps.get(at + 1))
        && one.len() + next.len() <= MOST_CALLS
    {
        let both = one.iter().chain(next).cloned().collect();
        steps.splice(at..at + 2, [Step::Act(both)]);
    }
}

/// Lamports for an account that the next step names, or for any: one that is there, or is about to be made.
fn gift(next: &Step, around: &Surroundings, random: &mut SmallRng) -> Step {
    let named = match next {
        Step::Act(calls) => calls.choose(random).and_then(|call| call.accounts.choose(random)).map(Meta::key),
        _ => None,
    };
    let key = named.unwrap_or_else(|| random.random_range(0..around.keys.count()));
    Step::Give(key, interesting(1, random).min(MOST_GIVEN))
}

/// The owner of a token account lets another spend from it, ends that, or lets another close it.
fn permission(around: &Surroundings, random: &mut SmallRng) -> Option<Step> {
    let (account, owner) = *around.tokens.choose(random)?;
    let other = *around.wallets.choose(random)?;
    let (from, signer) = (Meta(account, false, true), Meta(owner, true, false));
    let (accounts, data) = match random.random_range(0..4) {
        0 | 1 => {
            let amount = interesting(random.random(), random).to_le_bytes();
            (vec![from, Meta(other, false, false), signer], [&[APPROVE], amount.as_slice()].concat())
        }
        2 => (vec![from, signer], vec![REVOKE]),
        _ => {
            let closer = around.keys.at(other);
            (vec![from, signer], [&[SET_AUTHORITY, CLOSE_ACCOUNT, SOME], closer.as_array().as_slice()].concat())
        }
    };
    Some(Step::Act(vec![Call { program: around.token_program, accounts, data: Bytes(data) }]))
}

fn pause(random: &mut SmallRng) -> Step {
    let seconds = TIMES[random.random_range(0..TIMES.len())] + random.random_range(-1..=1);
    if random.random_ratio(1, 8) { Step::Pass(seconds, 0) } else { usual(seconds) }
}

fn change_pause(seconds: &mut i64, slots: &mut u64, random: &mut SmallRng) {
    match random.random_range(0..6) {
        0 => *slots = 0,
        1 => *slots = interesting(*slots, random).min(1 << 40),
        2 => *seconds += random.random_range(-2..=2),
        _ => {
            if let Step::Pass(other, others) = pause(random) {
                (*seconds, *slots) = (other, others);
            }
        }
    }
}

fn change_calls(calls: &mut Vec<Call>, around: &Surroundings, random: &mut SmallRng) {
    let Some(at) = (0..calls.len()).collect::<Vec<_>>().choose(random).copied() else { return };
    match random.random_range(0..10) {
        0 if calls.len() > 1 => drop(calls.remove(at)),
        1 if calls.len() < MOST_CALLS => calls.push(calls[at].clone()),
        2 => calls.shuffle(random),
        3 | 4 => change_data(&mut calls[at].data.0, around, random),
        _ => change_accounts(&mut calls[at], around, random),
    }
}

fn change_accounts(call: &mut Call, around: &Surroundings, random: &mut SmallRng) {
    let count = call.accounts.len();
    if count == 0 {
        return;
    }
    let at = random.random_range(0..count);
    match random.random_range(0..14) {
        0 => drop(call.accounts.remove(at)),
        1 => call.accounts.push(call.accounts[at].clone()),
        2 => call.accounts[at].2 = !call.accounts[at].2,
        3 => call.accounts[at].1 = !call.accounts[at].1,
        4 => call.accounts.swap(at, random.random_range(0..count)),
        5 => call.accounts[at].0 = call.accounts[random.random_range(0..count)].0,
        6..=8 => replace_signer(call, around, random),
        9..=12 => {
            if let Some(other) = around.alike.get(&call.accounts[at].0).and_then(|them| them.choose(random)) {
                call.accounts[at].0 = *other;
            }
        }
        _ => call.accounts[at].0 = random.random_range(0..around.keys.count()),
    }
    for meta in &mut call.accounts {
        meta.1 &= around.wallets.contains(&meta.0);
    }
}

/// Somebody else signs, and is named wherever the signer was.
fn replace_signer(call: &mut Call, around: &Surroundings, random: &mut SmallRng) {
    let signers: Vec<usize> = call.accounts.iter().filter(|meta| meta.1).map(|meta| meta.0).collect();
    if let (Some(old), Some(new)) = (signers.choose(random), around.wallets.choose(random)) {
        let everywhere = random.random();
        let all = call.accounts.iter_mut().filter(|meta| meta.0 == *old && (everywhere || meta.1));
        all.for_each(|meta| meta.0 = *new);
    }
}

fn change_data(data: &mut Vec<u8>, around: &Surroundings, random: &mut SmallRng) {
    if data.len() <= DISCRIMINATOR {
        return;
    }
    let at = random.random_range(DISCRIMINATOR..data.len());
    match random.random_range(0..8) {
        0 => data[at] ^= 1 << random.random_range(0..8),
        1 => data[at] = random.random_range(0..12),
        2 => data.truncate(at),
        3 if data.len() < MOST_BYTES => data.insert(at, random.random()),
        4 => {
            let other = around.corpus.choose(random).and_then(|each| each.steps.choose(random));
            if let Some(Step::Act(calls)) = other
                && let Some(call) = calls.iter().find(|call| call.data.0.starts_with(&data[..DISCRIMINATOR]))
            {
                data.clone_from(&call.data.0);
            }
        }
        _ => {
            let width = *[2, 4, 8, 8].choose(random).unwrap_or(&8);
            if let Some(field) = data.get_mut(at..at + width) {
                let mut wide = [0; 8];
                wide[..width].copy_from_slice(field);
                let value = interesting(u64::from_le_bytes(wide), random);
                field.copy_from_slice(&value.to_le_bytes()[..width]);
            }
        }
    }
}

/// Another amount: a bound, a neighbour or a multiple.
fn interesting(value: u64, random: &mut SmallRng) -> u64 {
    match random.random_range(0..10) {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => i64::MAX as u64,
        4 => value.wrapping_add(1),
        5 => value.wrapping_sub(1),
        6 => value.wrapping_mul(2),
        7 => value / 2,
        8 => u64::from(u32::MAX),
        _ => 1 << random.random_range(0..64),
    }
}

/// Seconds of a step, with the slots that pass in them.
fn usual(seconds: i64) -> Step {
    Step::Pass(seconds, seconds.max(0) as u64 * SLOTS_A_SECOND)
}
