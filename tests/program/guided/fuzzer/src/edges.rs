//! Instructions of the program that ran, and its jumps.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use litesvm::{InvocationInspectCallback, LiteSVM};
use solana_address::Address;
use solana_program_runtime::invoke_context::{Executable, InvokeContext, RegisterTrace};
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction_context::{IndexOfAccount, instruction::InstructionContext};

const JUMPS: usize = 1 << 18;
/// The register that holds the program counter.
const COUNTER: usize = 11;

/// Coverage of one sequence.
pub struct Edges {
    /// Times that each jump was taken, by a hash of both its ends; at most 255.
    jumps: Vec<u8>,
    touched: Vec<u32>,
    /// True if each instruction of the program ever ran, in any sequence.
    pub reached: Vec<bool>,
}

impl Edges {
    fn new() -> Self {
        Self { jumps: vec![0; JUMPS], touched: Vec::new(), reached: Vec::new() }
    }

    fn follow(&mut self, trace: RegisterTrace) {
        let mut previous = 0;
        for registers in trace {
            let at = registers[COUNTER] as usize;
            if at >= self.reached.len() {
                self.reached.resize(at + 1, false);
            }
            self.reached[at] = true;
            if at != previous + 1 {
                let place = (previous.wrapping_mul(0x9E37_79B1) ^ at.wrapping_mul(0x85EB_CA77)) >> 3 & (JUMPS - 1);
                if self.jumps[place] == 0 {
                    self.touched.push(place as u32);
                }
                self.jumps[place] = self.jumps[place].saturating_add(1);
            }
            previous = at;
        }
    }

    /// Forgets the last sequence, but not what was ever reached.
    pub fn clear(&mut self) {
        for place in self.touched.drain(..) {
            self.jumps[place as usize] = 0;
        }
    }

    /// The jumps taken, each with how often, in steps of powers of two.
    pub fn taken(&self) -> impl Iterator<Item = (u32, u8)> {
        self.touched.iter().map(|place| (*place, 1 << self.jumps[*place as usize].ilog2()))
    }
}

/// Store of a program's edges; a copy shares them.
#[derive(Clone)]
pub struct Watch {
    program: Address,
    edges: Arc<Mutex<Edges>>,
}

impl Watch {
    pub fn new(program: Address) -> Self {
        Self { program, edges: Arc::new(Mutex::new(Edges::new())) }
    }

    pub fn edges(&self) -> MutexGuard<'_, Edges> {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InvocationInspectCallback for Watch {
    fn before_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[IndexOfAccount],
        _: &mut InvokeContext,
        _: bool,
    ) {
    }

    fn after_invocation(
        &self,
        _: &LiteSVM,
        _: &SanitizedTransaction,
        _: &[IndexOfAccount],
        context: &InvokeContext,
        _: bool,
    ) {
        context.iterate_vm_traces(&|called: InstructionContext, _: &Executable, trace: RegisterTrace| {
            if called.get_program_key().is_ok_and(|program| *program == self.program) {
                self.edges().follow(trace);
            }
        });
    }
}

/// Jumps that were ever taken, with their counts, and who was whom.
pub struct Known {
    buckets: Vec<u8>,
    pub jumps: usize,
    pub relations: HashSet<u64>,
}

impl Known {
    pub fn new() -> Self {
        Self { buckets: vec![0; JUMPS], jumps: 0, relations: HashSet::new() }
    }

    /// The jumps that were ever taken.
    pub fn taken(&self) -> Vec<usize> {
        (0..JUMPS).filter(|place| self.buckets[*place] != 0).collect()
    }

    /// Adds what a sequence covered; whether any of it is new.
    pub fn learn(&mut self, edges: &Edges) -> bool {
        let mut is_new = false;
        for (place, bucket) in edges.taken() {
            let known = &mut self.buckets[place as usize];
            if *known & bucket == 0 {
                self.jumps += usize::from(*known == 0);
                *known |= bucket;
                is_new = true;
            }
        }
        is_new
    }
}
