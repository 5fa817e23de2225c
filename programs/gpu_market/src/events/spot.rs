use crate::*;

/// The first order begins to wait for the machine: its holder has until `preempt_at`. Orders that take its place leave
/// that moment as it is.
#[event]
pub struct RentalPreempting {
    pub listing: Address,
    /// Holds the machine.
    pub rental: Address,
    /// Waits for it.
    pub challenger: Address,
    pub preempt_at: i64,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
}

/// The order that waited left, and nobody took its place: the holder keeps the machine.
#[event]
pub struct ChallengerWithdrawn {
    pub listing: Address,
    pub challenger: Address,
    /// Holds the machine, or held it until the host ended it meanwhile; else zero.
    pub holder: Address,
    /// The next order may wait from this moment on.
    pub challenge_from: i64,
    pub at: i64,
    pub listing_seq: u64,
    pub mint: Address,
    /// Paid to the holder's renter out of the challenger's deposit, in `mint`.
    pub compensation: u64,
}

/// The order that waited holds the machine now; its host has until `start_by`.
#[event]
pub struct RentalTookOver {
    pub listing: Address,
    pub rental: Address,
    /// The rental that was preempted for it, or that the host ended while it waited; zero if the machine had fallen idle.
    pub preempted: Address,
    pub start_by: i64,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
    pub mint: Address,
    /// Paid out of the order's deposit to the renter of `preempted`, in `mint`.
    pub compensation: u64,
    /// Of `compensation`, what they could not take: a fee.
    pub compensation_kept: u64,
    /// Of the order's vault; zero without a compensation.
    pub vault_seq: u64,
}

/// The holder was preempted, and the order that waits compensated them; it waits on, until the listing's host has claimed
/// what it is owed.
#[event]
pub struct HolderCompensated {
    /// The order that waits.
    pub rental: Address,
    pub listing: Address,
    pub preempted: Address,
    pub mint: Address,
    /// Paid out of the order's deposit to the renter of `preempted`, in `mint`.
    pub compensation: u64,
    /// Of `compensation`, what they could not take: a fee.
    pub compensation_kept: u64,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}
