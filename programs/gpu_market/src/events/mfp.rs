use crate::*;

#[event]
pub struct CatalogInitialized {
    pub catalog: Address,
    pub mint: Address,
    pub token_account: Address,
    pub at: i64,
    pub seq: u64,
}

/// Points of one GPU of a model.
#[event]
pub struct GpuPointsSet {
    pub catalog: Address,
    pub model: u16,
    pub old: u16,
    pub new: u16,
    pub at: i64,
    pub seq: u64,
}

/// A listing took the points that the catalog now gives its machine.
#[event]
pub struct PointsRefreshed {
    pub listing: Address,
    pub host: Address,
    pub old: u32,
    pub new: u32,
    pub host_points: u32,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
    pub host_seq: u64,
}

/// What a host has locked after the event.
#[event]
pub struct MfpLocked {
    pub host: Address,
    pub authority: Address,
    pub amount: u64,
    pub locked: u64,
    pub total: u64,
    pub at: i64,
    pub host_seq: u64,
    pub catalog_seq: u64,
}

#[event]
pub struct MfpUnlocked {
    pub host: Address,
    pub authority: Address,
    pub amount: u64,
    pub locked: u64,
    pub unlocking: u64,
    pub unlock_at: i64,
    pub at: i64,
    pub host_seq: u64,
}

#[event]
pub struct MfpWithdrawn {
    pub host: Address,
    pub authority: Address,
    pub amount: u64,
    pub total: u64,
    pub at: i64,
    pub host_seq: u64,
    pub catalog_seq: u64,
}
