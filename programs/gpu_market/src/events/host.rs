use crate::*;

#[event]
pub struct HostRegistered {
    pub host: Address,
    pub authority: Address,
    pub seal_key: [u8; 32],
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct HostUpdated {
    pub host: Address,
    pub old_seal_key: [u8; 32],
    pub new_seal_key: [u8; 32],
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct HostApproved {
    pub host: Address,
    pub old: bool,
    pub new: bool,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
    /// Base units of subsidy a day.
    pub old_budget: u64,
    pub new_budget: u64,
}

#[event]
pub struct ListingCreated {
    pub listing: Address,
    pub host: Address,
    pub authority: Address,
    pub id: u32,
    pub spec: ListingSpec,
    pub at: i64,
    pub seq: u64,
    pub host_seq: u64,
    pub points: u32,
    pub host_points: u32,
    pub spec_version: u32,
    pub reference_usd: u32,
}

#[event]
pub struct ListingUpdated {
    pub listing: Address,
    pub old_on_demand_usd: u64,
    pub old_spot_min_usd: u64,
    pub spec: ListingSpec,
    pub at: i64,
    pub seq: u64,
    pub host: Address,
    pub host_seq: u64,
    pub points: u32,
    pub host_points: u32,
    pub spec_version: u32,
    /// Seconds of the listing and its host by now.
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub host_tracked_seconds: u64,
    pub host_up_seconds: u64,
    pub reference_usd: u32,
}

/// Another key serves the machine.
#[event]
pub struct OperatorSet {
    pub listing: Address,
    pub host: Address,
    pub old: Address,
    pub new: Address,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct ListingClosed {
    pub listing: Address,
    pub host: Address,
    pub at: i64,
    pub seq: u64,
    pub host_seq: u64,
    pub host_points: u32,
    /// Seconds of the listing and its host by now.
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub host_tracked_seconds: u64,
    pub host_up_seconds: u64,
}

/// Heartbeat of several listings of one host; `tracked` and `up` are each listing's totals after it.
#[event]
pub struct HostHeartbeat {
    pub host: Address,
    pub at: i64,
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub seq: u64,
    pub listings: Vec<ListingBeat>,
}

/// A listing was marked: its host has until `answer_by` and `answer_slot`, both, to be heard from. Or, with `silence`
/// proven, it was not heard from.
#[event]
pub struct ListingMarked {
    pub listing: Address,
    pub host: Address,
    pub silence: Silence,
    pub last_heartbeat_at: i64,
    pub answer_by: i64,
    pub answer_slot: u64,
    pub at: i64,
    pub seq: u64,
}

/// Counts of listings since the last time moved to their host, whose totals these are; `listings` are those that
/// were counted for the next score or had something to move.
#[event]
pub struct HostCounted {
    pub host: Address,
    pub at: i64,
    pub rating_sum: u64,
    pub rating_weight: u64,
    pub paid_usd: u64,
    pub completed: u32,
    pub failed: u32,
    pub refused: u32,
    pub seq: u64,
    pub listings: Vec<ListingCount>,
}

/// Counts that one listing moved, and the last score that it was counted for. Padded to a multiple of eight bytes.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct ListingCount {
    pub rating_sum: u64,
    pub rating_weight: u64,
    pub paid_usd: u64,
    pub seq: u64,
    pub id: u32,
    pub completed: u32,
    pub failed: u32,
    pub score_round: u32,
    pub refused: u32,
    pub reserved: u32,
}

/// A host's new score, in basis points, and all that it was made of.
#[event]
pub struct HostScored {
    pub host: Address,
    pub old: u16,
    pub new: u16,
    pub round: u32,
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub rating_sum: u64,
    pub rating_weight: u64,
    pub completed: u32,
    pub failed: u32,
    /// Micro-USD that renters themselves have paid, and that the half of each part weighs.
    pub paid_usd: u64,
    pub prior_usd: u64,
    pub not_as_listed_usd: u64,
    pub at: i64,
    pub seq: u64,
}

/// Padded to a multiple of eight bytes, so that a list of them is encoded in one copy.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct ListingBeat {
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub seq: u64,
    pub id: u32,
    pub reserved: u32,
}

/// The host has been paid what the listing owed it; `authority` is the host's wallet.
#[event]
pub struct PayoutClaimed {
    pub listing: Address,
    pub authority: Address,
    pub vault: Address,
    pub mint: Address,
    pub amount: u64,
    pub at: i64,
    pub seq: u64,
    pub vault_seq: u64,
}
