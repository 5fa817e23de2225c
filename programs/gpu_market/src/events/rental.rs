use crate::*;

#[event]
pub struct RenterRegistered {
    pub profile: Address,
    pub wallet: Address,
    /// The nonce of the wallet's next order: above all that a closed profile of theirs has used.
    pub next_nonce: u64,
    pub at: i64,
}

/// The wallet took its profile's rent back. A profile made later begins with higher nonces and without history.
#[event]
pub struct RenterClosed {
    pub profile: Address,
    pub wallet: Address,
    pub next_nonce: u64,
    pub at: i64,
}

flat_event! {
    /// Rates are base units per hour; `subsidy` is what left the pool for escrow.
    pub struct RentalOpened {
        pub rental: Address,
        pub renter: Address,
        pub listing: Address,
        pub host: Address,
        pub mint: Address,
        pub nonce: u64,
        pub kind: RentalKind,
        pub shard: u8,
        pub duration: u32,
        pub deposit: u64,
        pub subsidy: u64,
        pub rate: u64,
        pub subsidy_rate: u64,
        pub burn_rate: u64,
        pub fee_rate: u64,
        pub rate_usd: u32,
        pub holdback_bps: u16,
        pub provision_timeout: u16,
        /// Least seconds that the renter pays for once it has started, unless they have reported it as not as listed.
        pub min_charge: u16,
        /// Seconds after which a host that has not started is owed nothing for preparing.
        pub promise: u16,
        pub offline_after: u16,
        pub tip_lamports: u32,
        pub order_hash: [u8; 32],
        pub at: i64,
        pub seq: u32,
        pub listing_seq: u64,
        pub vault_seq: u64,
        /// When it may take the machine that another rental holds; zero if it holds it itself.
        pub preempt_at: i64,
        /// Version of the machine: the listing's `spec_version`.
        pub spec_version: u32,
        pub holdback_window: u32,
        /// Discount of a reserved rental from the listing's price on demand.
        pub discount_bps: u16,
        /// True if the host may end it once its command has ended; its renter may contest that for `finish_window` seconds.
        pub may_finish: bool,
        pub finish_window: u32,
        /// Drawn of the day's subsidy budget by the host's machines, with it; both zero without a subsidy.
        pub host_booked: u64,
        pub host_seq: u64,
    }
}

/// `connection` is sealed to the X25519 key in the renter's order.
#[event]
pub struct RentalAccepted {
    pub rental: Address,
    pub listing: Address,
    pub connection: Vec<u8>,
    pub at: i64,
    pub seq: u32,
}

flat_event! {
    pub struct RentalStarted {
        pub rental: Address,
        pub listing: Address,
        pub at: i64,
        pub paid_until: i64,
        pub seq: u32,
        /// Matcher of the request that it was, and their pay now; both zero without one.
        pub matched_by: Address,
        pub match_tip: u32,
    }
}

#[event]
pub struct RentalExtended {
    pub rental: Address,
    pub old_duration: u32,
    pub new_duration: u32,
    pub deposit_added: u64,
    pub subsidy_added: u64,
    pub paid_until: i64,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
    pub host: Address,
    /// Drawn of the day's subsidy budget by the host's machines, with it; both zero without a subsidy.
    pub host_booked: u64,
    pub host_seq: u64,
}

flat_event! {
    /// `paid` went to the host now, for the seconds up to `settled`. `heard` if that counts as its heartbeat. `paid_usd` is the
    /// micro-USD that the renter themselves has paid so far.
    pub struct RentalSettled {
        pub rental: Address,
        pub listing: Address,
        pub paid: u64,
        pub paid_total: u64,
        pub settled: u32,
        pub at: i64,
        pub seq: u32,
        pub vault_seq: u64,
        pub listing_seq: u64,
        pub heard: bool,
        pub paid_usd: u64,
    }
}

flat_event! {
    /// The whole split: `deposit + subsidy = paid + fees + burned + refunded + subsidy_returned + compensation`, where `paid`
    /// includes what settlements paid before, and `paid_now` is what this transaction paid. All are those of `charged`
    /// seconds; `used` is what the renter had of the machine. `deposit` is without what the rental paid as compensation when
    /// it displaced a holder.
    pub struct RentalClosed {
        pub rental: Address,
        pub renter: Address,
        pub listing: Address,
        pub mint: Address,
        pub reason: CloseReason,
        /// State of the rental when it ended.
        pub state: RentalState,
        pub used: u32,
        pub charged: u32,
        pub deposit: u64,
        pub subsidy: u64,
        pub paid: u64,
        pub paid_now: u64,
        pub fees: u64,
        pub burned: u64,
        pub refunded: u64,
        pub subsidy_returned: u64,
        pub closed_by: Address,
        pub tip_lamports: u32,
        pub at: i64,
        pub seq: u32,
        pub listing_seq: u64,
        pub vault_seq: u64,
        /// True if the listing counts it as a rental that ended well.
        pub completed: bool,
        /// Of `paid_now`, what the host could not be paid: its listing owes it.
        pub host_owed: u64,
        /// Of `refunded`, what the renter could not be paid: the rental's account stays and owes it.
        pub renter_owed: u64,
        /// Paid by an order that its renter withdrew to the holder of the machine it waited for.
        pub compensation: u64,
        /// Of `compensation`, what the holder could not take: a fee.
        pub compensation_kept: u64,
        /// Of `paid_now`, what a finished rental holds back until `contest_by`.
        pub held: u64,
        pub contest_by: i64,
        /// Exit code of a finished rental's command.
        pub exit_code: u8,
        /// Micro-USD that the renter themselves has paid for `used`.
        pub paid_usd: u64,
        pub host: Address,
        /// Left booked of the host's subsidy budget of the day, which has `subsidy_returned` back; both zero if the
        /// rental returned none or drew on another day's.
        pub host_booked: u64,
        pub host_seq: u64,
    }
}

/// The renter let the time to contest a finished rental pass: its host has been paid the `amount` that was held back, but
/// for what is `kept`. Its account is gone.
#[event]
pub struct HoldbackReleased {
    pub rental: Address,
    pub listing: Address,
    pub mint: Address,
    pub amount: u64,
    /// Of it, what the host lost since their account could not take it for a whole window: a fee.
    pub kept: u64,
    /// True if the listing counts it as a rental that ended well.
    pub completed: bool,
    pub released_by: Address,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
    pub vault_seq: u64,
}

/// The renter has contested a finished rental: what was held back is a fee. `weight` is what that weighs against the host,
/// as a report of theirs would; it and `host_seq` are zero where it has none. The rental's account is gone.
#[event]
pub struct FinishContested {
    pub rental: Address,
    pub renter: Address,
    pub listing: Address,
    pub mint: Address,
    pub amount: u64,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
    pub vault_seq: u64,
    pub host: Address,
    pub weight: u64,
    pub host_seq: u64,
}

/// The renter of an ended rental has been paid what it owed them; its account is gone.
#[event]
pub struct RefundClaimed {
    pub rental: Address,
    pub renter: Address,
    pub mint: Address,
    pub amount: u64,
    pub at: i64,
    pub seq: u32,
    pub vault_seq: u64,
}

#[event]
pub struct RentalRated {
    pub rental: Address,
    pub listing: Address,
    pub rating: u8,
    /// Micro-USD of machine time that the renter had paid for when rating, without the subsidy's part.
    pub weight: u64,
    pub at: i64,
    pub seq: u32,
    pub listing_seq: u64,
}

/// `weight` is the micro-USD, paid by the renter before, that a report of a machine that is not as listed weighs against
/// its host; it and `host_seq` are zero for a report that does not count.
#[event]
pub struct IssueReported {
    pub rental: Address,
    pub renter: Address,
    pub listing: Address,
    pub host: Address,
    pub issue: RentalIssue,
    pub weight: u64,
    pub at: i64,
    pub seq: u32,
    pub host_seq: u64,
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    #[test]
    fn flat_events__any__carry_what_borsh_would_write() {
        let event = RentalStarted {
            rental: Address::new_from_array([1; 32]),
            listing: Address::new_from_array([2; 32]),
            at: -3,
            paid_until: 1 << 40,
            seq: 5,
            matched_by: Address::new_from_array([6; 32]),
            match_tip: 7,
        };
        let encoded = crate::events::emit::encoded(&event);
        assert_eq!(event.bytes().as_slice(), encoded);
    }
}
