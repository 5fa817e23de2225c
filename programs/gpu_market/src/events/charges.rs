use crate::*;

#[event]
pub struct ChargesSet {
    pub listing: Address,
    pub old: Charges,
    pub new: Charges,
    pub at: i64,
    pub seq: u64,
}

/// Rates are base units per TB of traffic above the allowance and per 1000 GB-hours of storage.
#[event]
pub struct MeterOpened {
    pub meter: Address,
    pub rental: Address,
    pub renter: Address,
    pub listing: Address,
    pub authority: Address,
    pub mint: Address,
    pub shard: u8,
    pub cap: u64,
    pub charges: Charges,
    pub bandwidth_rate: u64,
    pub storage_rate: u64,
    pub storage_gb: u32,
    pub charge_window: u32,
    pub at: i64,
    pub seq: u64,
    pub vault_seq: u64,
    /// Until when the rental is paid for; zero before it starts.
    pub paid_until: i64,
    pub rental_seq: u32,
}

/// Totals since the meter opened; `added` became pending now, and the three amounts are what stands after it.
#[event]
pub struct UsageReported {
    pub meter: Address,
    pub rental: Address,
    pub bandwidth_mb: u64,
    pub storage_gb_hours: u64,
    pub added: u64,
    pub accepted: u64,
    pub pending: u64,
    pub disputed: u64,
    /// Last moment at which what is pending may be disputed.
    pub dispute_by: i64,
    pub at: i64,
    pub seq: u64,
    /// Last moment at which storage is charged.
    pub paid_until: i64,
}

/// `amount` is frozen now; the three amounts are what stands after it.
#[event]
pub struct UsageDisputed {
    pub meter: Address,
    pub rental: Address,
    pub amount: u64,
    pub accepted: u64,
    pub pending: u64,
    pub disputed: u64,
    /// Last moment before anyone may drop it.
    pub resolve_by: i64,
    pub at: i64,
    pub seq: u64,
}

/// `amount`, pending or disputed before, is charged for good.
#[event]
pub struct UsageAccepted {
    pub meter: Address,
    pub rental: Address,
    pub amount: u64,
    pub accepted: u64,
    pub at: i64,
    pub seq: u64,
}

/// `dropped` will not be charged.
#[event]
pub struct DisputeResolved {
    pub meter: Address,
    pub rental: Address,
    pub dropped: u64,
    pub at: i64,
    pub seq: u64,
}

/// `paid` went to the host now.
#[event]
pub struct MeterSettled {
    pub meter: Address,
    pub rental: Address,
    pub paid: u64,
    pub paid_total: u64,
    pub pending: u64,
    pub at: i64,
    pub seq: u64,
    pub vault_seq: u64,
}

/// The rental has ended, in this transaction.
#[event]
pub struct MeterEnded {
    pub meter: Address,
    pub rental: Address,
    /// Last moment at which the host may report.
    pub report_by: i64,
    pub at: i64,
    pub seq: u64,
    /// Last moment at which storage is charged, unless the rental ended before; zero if it never started.
    pub paid_until: i64,
}

/// The whole split: `cap = paid + refunded + kept + host_owed + renter_owed`, where `paid_now` of `paid` left in this
/// transaction. What is owed could not be paid, and the meter stays for it; without it the meter is gone.
#[event]
pub struct MeterClosed {
    pub meter: Address,
    pub rental: Address,
    pub renter: Address,
    pub listing: Address,
    pub mint: Address,
    pub cap: u64,
    pub paid: u64,
    pub paid_now: u64,
    pub refunded: u64,
    pub bandwidth_mb: u64,
    pub storage_gb_hours: u64,
    pub at: i64,
    pub seq: u64,
    pub vault_seq: u64,
    pub host_owed: u64,
    pub renter_owed: u64,
    /// Lost by the host, whose account could not take it for a whole window: a fee.
    pub kept: u64,
}
