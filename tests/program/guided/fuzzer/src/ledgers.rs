//! Ledgers that sequences start from.

use anyhow::Result;
use litesvm::LiteSVM;
use solana_address::Address;

use crate::edges::Edges;
use crate::ledger::{Ledger, begin, seed};
use crate::sequence::{Seeds, Sequence};
use crate::traces::Watch;

/// Two ledgers that sequences start from.
pub struct Ledgers {
    seeded: LiteSVM,
    bare: LiteSVM,
    pub program: Address,
    fee_payer: Address,
}

impl Ledgers {
    /// With the program in `binary`, whose edges `watch` sees.
    pub fn new(seeds: &Seeds, binary: &[u8], watch: &Watch<Edges>) -> Result<Self> {
        let (program, fee_payer) = (seeds.program.parse()?, seeds.fee_payer.parse()?);
        let mut bare = LiteSVM::new_debuggable(true)
            .with_mainnet_features()
            .with_transaction_history(0)
            .with_sigverify(false)
            .with_blockhash_check(false);
        bare.set_invocation_inspect_callback(watch.clone());
        begin(&mut bare, seeds, binary)?;
        let mut seeded = bare.clone();
        seed(&mut seeded, &seeds.accounts)?;
        Ok(Self { seeded, bare, program, fee_payer })
    }

    /// A ledger of its own for one sequence.
    pub fn start(&self, sequence: &Sequence) -> Ledger {
        let svm = if sequence.bare { self.bare.clone() } else { self.seeded.clone() };
        Ledger { svm, fee_payer: self.fee_payer }
    }
}
