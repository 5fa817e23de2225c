use crate::*;

#[event]
pub struct CatalogInitialized {
    pub catalog: Address,
    pub mint: Address,
    pub token_account: Address,
    pub at: i64,
    pub seq: u64,
}

/// Entry of the catalog: one GPU of a model.
#[event]
pub struct GpuModelSet {
    pub gpu_model: Address,
    pub number: u16,
    pub old: GpuTerms,
    pub new: GpuTerms,
    pub at: i64,
    pub seq: u64,
}

/// A listing took what the catalog now says of its machine; the reference prices are micro-USD per GPU-hour.
#[event]
pub struct ListingRefreshed {
    pub listing: Address,
    pub host: Address,
    pub old_points: u32,
    pub new_points: u32,
    pub old_reference_usd: u32,
    pub new_reference_usd: u32,
    pub host_points: u32,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
    pub host_seq: u64,
}

/// Tokens that a host has locked after the event.
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
