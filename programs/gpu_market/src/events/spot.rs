use crate::*;

/// A better order waits for the machine: its holder has until `preempt_at`. An order that takes the place of one that
/// waited leaves that moment as it was.
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
    /// Holds the machine; zero if nobody does.
    pub holder: Address,
    /// The next order may wait from this moment on.
    pub challenge_from: i64,
    pub at: i64,
    pub listing_seq: u64,
}

/// The order that waited holds the machine now; its host has until `start_by`.
#[event]
pub struct RentalTookOver {
    pub listing: Address,
    pub rental: Address,
    /// Who was preempted for it; zero if the machine had fallen idle.
    pub preempted: Address,
    pub start_by: i64,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
}
