use crate::*;

/// That a wallet has voted on a proposal, at seeds `"vote", proposal, voter`. Its rent returns once the vote is over.
#[account]
pub struct VoteRecord {
    pub version: u8,
    pub bump: u8,
    pub support: u8,
    pub reserved_flags: [u8; 5],
    pub proposal: Address,
    pub voter: Address,
    /// Base units of active stake when the vote was cast.
    pub weight: u64,
    pub voted_at: i64,
    /// The proposal's number, which outlives its account.
    pub proposal_id: u64,
}

const _: () = assert!(size_of::<VoteRecord>() == 96);
