use anchor_lang::prelude::*;

/// All stake of the market, at seeds `"pool"`.
#[account]
pub struct StakePool {
    pub version: u8,
    pub bump: u8,
    pub reserved_flags: [u8; 6],
    pub mint: Address,
    pub token_account: Address,
    pub seq: u64,
    pub epoch: u64,
    pub epoch_started_at: i64,
    pub active: u64,
    pub warming: u64,
    pub cooling: u64,
    pub reserved: [u8; 128],
}

const _: () = assert!(size_of::<StakePool>() == 248);

impl StakePool {
    /// Base units that may vote now or after the next epoch boundary: what a quorum is a share of.
    pub fn eligible(&self) -> u64 {
        self.active.saturating_add(self.warming)
    }
}
