use crate::*;

/// From now on only executed proposals act as the market's authority.
#[event]
pub struct AuthorityHandedOver {
    pub market: Address,
    pub old: Address,
    pub new: Address,
    pub at: i64,
    pub seq: u64,
}

/// The rules of the vote, and what it is about.
#[event]
pub struct ProposalCreated {
    pub proposal: Address,
    pub id: u64,
    pub proposer: Address,
    pub eligible: u64,
    pub quorum_bps: u16,
    pub threshold_bps: u16,
    pub timelock: u32,
    pub ends_at: i64,
    pub at: i64,
    pub seq: u64,
    pub market_seq: u64,
    pub stake_seq: u64,
    /// True if it is one that the guardian may veto.
    pub critical: bool,
    pub action: Action,
    pub title: String,
}

/// `votes_for` and `votes_against` are the totals after it; the stake stays in place until `voting_until`.
#[event]
pub struct VoteCast {
    pub proposal: Address,
    pub voter: Address,
    pub support: bool,
    pub weight: u64,
    pub votes_for: u64,
    pub votes_against: u64,
    pub voting_until: i64,
    pub at: i64,
    pub seq: u64,
    pub stake_seq: u64,
}

/// The rent of a vote went back to the voter.
#[event]
pub struct VoteClosed {
    pub proposal: Address,
    pub voter: Address,
    pub at: i64,
}

#[event]
pub struct ProposalCancelled {
    pub proposal: Address,
    pub at: i64,
    pub seq: u64,
}

/// The votes were counted: queued, to be executed from `execute_at` and before `expires_at`, or defeated.
#[event]
pub struct ProposalDecided {
    pub proposal: Address,
    pub state: ProposalState,
    pub votes_for: u64,
    pub votes_against: u64,
    /// Zero when defeated, as is `expires_at`.
    pub execute_at: i64,
    pub expires_at: i64,
    pub at: i64,
    pub seq: u64,
}

/// The guardian has stopped a critical proposal that waited to be executed.
#[event]
pub struct ProposalVetoed {
    pub proposal: Address,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
}

/// The proposal was over; its rent went back to the proposer, who may make another.
#[event]
pub struct ProposalClosed {
    pub proposal: Address,
    pub proposer: Address,
    pub at: i64,
    pub seq: u64,
    pub stake_seq: u64,
}

/// An action of a proposal ran. The event of its own instruction, which follows, says what it changed.
#[event]
pub struct ProposalExecuted {
    pub proposal: Address,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
    pub action: Action,
}
