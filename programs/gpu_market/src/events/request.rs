use crate::*;

#[event]
pub struct RequestOpened {
    pub request: Address,
    pub renter: Address,
    pub mint: Address,
    pub nonce: u64,
    pub shard: u8,
    pub order: RequestOrder,
    /// Carried twice: for whoever matches or ends the request, and for whoever ends its rental.
    pub tip_lamports: u32,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}

/// `held = deposit + refunded`, where `deposit` is the rental's, whose opening follows with the rental's other facts.
#[event]
pub struct RequestMatched {
    pub request: Address,
    pub rental: Address,
    pub listing: Address,
    /// Deposit of the request; the rental's is that without `refunded`.
    pub held: u64,
    pub refunded: u64,
    pub matched_by: Address,
    /// Theirs once the rental starts.
    pub tip_lamports: u32,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}

#[event]
pub struct RequestCancelled {
    pub request: Address,
    pub renter: Address,
    pub mint: Address,
    pub refunded: u64,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}

#[event]
pub struct RequestExpired {
    pub request: Address,
    pub renter: Address,
    pub mint: Address,
    pub refunded: u64,
    pub expired_by: Address,
    pub tip_lamports: u32,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}
