//! Instructions of the program that ran, and its jumps.

use std::collections::HashSet;

use solana_program_runtime::invoke_context::RegisterTrace;

use crate::traces::{COUNTER, Follow};

const JUMPS: usize = 1 << 18;

/// Coverage of one sequence.
pub struct Edges {
    /// Times that each jump was taken, by a hash of both its ends; at most 255.
    jumps: Vec<u8>,
    touched: Vec<u32>,
    /// True if each instruction of the program ever ran, in any sequence.
    pub reached: Vec<bool>,
}

impl Edges {
    pub fn new() -> Self {
        Self { jumps: vec![0; JUMPS], touched: Vec::new(), reached: Vec::new() }
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

impl Follow for Edges {
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
