use crate::*;

/// Someone who offers machines, at seeds `"host", authority`.
#[account]
pub struct Host {
    pub version: u8,
    pub bump: u8,
    pub approved: u8,
    pub reserved_flags: [u8; 5],
    pub authority: Address,
    /// Address of the authority's stake account, whether there is one or not.
    pub stake: Address,
    /// X25519 public key that orders are sealed to.
    pub seal_key: [u8; 32],
    pub seq: u64,
    pub registered_at: i64,
    /// Seconds watched and seconds up, summed over the listings.
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub next_listing: u32,
    pub open_listings: u32,
    /// Market tokens locked for lower extra fees, in base units.
    pub mfp_locked: u64,
    /// Market tokens on their way out of the lock; they count for nothing.
    pub mfp_unlocking: u64,
    /// When the tokens on their way out may leave.
    pub mfp_unlock_at: i64,
    /// Ratings × weight and weights (micro-USD of use when rated), of all that has been counted.
    pub rating_sum: u64,
    pub rating_weight: u64,
    /// Micro-USD that renters themselves have paid for its machines, of all that has been counted.
    pub paid_usd: u64,
    /// When the score was last set; zero before the first time.
    pub scored_at: i64,
    /// Rentals that ended well, and those that failed by the host's fault, of all that has been counted.
    pub completed: u32,
    pub failed: u32,
    /// GPU points of the open listings.
    pub points: u32,
    /// Reputation in basis points.
    pub score: u16,
    pub reserved_score: [u8; 2],
    /// Number of times that the host has been scored.
    pub score_round: u32,
    /// Listings that are still to be counted for the next score.
    pub round_waiting: u32,
    /// Orders refused before the start, of all that has been counted.
    pub refused: u32,
    /// Listings with numbers below this make up the next score; zero until the first of them is counted for it.
    pub round_end: u32,
    /// The day of `subsidy_booked`, by its number.
    pub subsidy_day: u16,
    pub reserved: [u8; 6],
    /// Base units of subsidy that the host's machines may draw in a day.
    pub subsidy_budget: u64,
    /// Drawn by them on `subsidy_day`, what has returned of that taken off.
    pub subsidy_booked: u64,
    /// Micro-USD that reports of machines that were not as listed, and contests of finished rentals, have weighed.
    pub not_as_listed_usd: u64,
    pub reserved_tail: [u8; 8],
}

const _: () = assert!(size_of::<Host>() == 272);

impl Host {
    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::WrongHost);
        Ok(())
    }

    /// The extra fee that the host pays on orders in other mints, in basis points, rounded up: it falls linearly with
    /// the lock and is nothing once every GPU point of theirs is covered. For a `listing` without points nothing can be
    /// locked: it pays all of it.
    pub fn extra_fee_bps_ceil(&self, listing: &Listing, extra_fee_bps: u16, mfp_per_point: u64) -> Result<u16> {
        if extra_fee_bps == 0 || listing.points == 0 {
            return Ok(extra_fee_bps);
        }
        let required = math::saturating_product(self.points.into(), mfp_per_point);
        let missing = required.saturating_sub(self.mfp_locked);
        if missing == 0 {
            return Ok(0);
        }
        let bps = math::mul_div_ceil(extra_fee_bps.into(), missing, required)?;
        u16::try_from(bps).map_err(|_| MarketError::MathOverflow.into())
    }

    /// Market tokens come into the lock and count at once.
    pub fn lock_mfp(&mut self, amount: u64) -> Result<()> {
        self.mfp_locked = math::add(self.mfp_locked, amount)?;
        Ok(())
    }

    /// Locked tokens stop counting at once and may leave after `delay` seconds, with all that are on their way out.
    pub fn unlock_mfp(&mut self, amount: u64, delay: u32, now: i64) -> Result<()> {
        require!(amount <= self.mfp_locked, MarketError::InsufficientLock);
        self.mfp_locked = math::sub(self.mfp_locked, amount)?;
        self.mfp_unlocking = math::add(self.mfp_unlocking, amount)?;
        self.mfp_unlock_at = now.checked_add(delay.into()).ok_or(MarketError::MathOverflow)?;
        Ok(())
    }

    /// All tokens on their way out leave; gives them.
    pub fn withdraw_mfp(&mut self, now: i64) -> Result<u64> {
        require!(self.mfp_unlocking > 0, MarketError::NothingToWithdraw);
        require!(now >= self.mfp_unlock_at, MarketError::LockNotOver);
        Ok(core::mem::take(&mut self.mfp_unlocking))
    }

    /// The points of one listing go from `old` to `new`.
    pub fn change_points(&mut self, old: u32, new: u32) -> Result<()> {
        let rest = self.points.checked_sub(old).ok_or(MarketError::LedgerMismatch)?;
        self.points = rest.checked_add(new).ok_or(MarketError::MathOverflow)?;
        Ok(())
    }

    pub fn is_score_due(&self, interval: u32, now: i64) -> bool {
        self.scored_at == 0 || math::seconds_between(self.scored_at, now) >= interval
    }

    /// Adds what a listing has counted.
    pub fn count(&mut self, counts: &Counts) {
        self.rating_sum = self.rating_sum.saturating_add(counts.rating_sum);
        self.rating_weight = self.rating_weight.saturating_add(counts.rating_weight);
        self.paid_usd = self.paid_usd.saturating_add(counts.paid_usd);
        self.completed = self.completed.saturating_add(counts.completed);
        self.failed = self.failed.saturating_add(counts.failed);
        self.refused = self.refused.saturating_add(counts.refused);
    }

    /// Adds the time that a listing has tracked.
    pub fn track(&mut self, tracked: &Tracked) {
        self.tracked_seconds = self.tracked_seconds.wrapping_add(tracked.seconds);
        self.up_seconds = self.up_seconds.wrapping_add(tracked.up);
    }

    /// Counts an open listing for the next score; false when it has been. The first one fixes which listings the score
    /// waits for: all that are open then.
    pub fn join_round(&mut self, listing: &mut Listing) -> bool {
        if self.round_end == 0 {
            (self.round_end, self.round_waiting) = (self.next_listing, self.open_listings);
        }
        if !self.waits_for(listing) {
            return false;
        }
        listing.score_round = self.score_round.wrapping_add(1);
        self.round_waiting = self.round_waiting.saturating_sub(1);
        true
    }

    /// True if the listing was created too late for the score that others have been counted for.
    pub fn is_after_round(&self, listing: &Listing) -> bool {
        self.round_end != 0 && listing.id >= self.round_end
    }

    fn waits_for(&self, listing: &Listing) -> bool {
        listing.id < self.round_end && listing.score_round != self.score_round.wrapping_add(1)
    }

    /// One open listing fewer, which the next score does not wait for either.
    pub fn forget(&mut self, listing: &Listing) -> Result<()> {
        self.open_listings = self.open_listings.checked_sub(1).ok_or(MarketError::MathOverflow)?;
        if self.waits_for(listing) {
            self.round_waiting = self.round_waiting.checked_sub(1).ok_or(MarketError::MathOverflow)?;
        }
        Ok(())
    }

    /// Every listing that was open when the first was counted for the next score has been: nobody chooses which of them
    /// make it, and nobody holds it up with new ones.
    pub fn is_round_complete(&self) -> bool {
        if self.round_end == 0 {
            self.open_listings == 0
        } else {
            self.round_waiting == 0
        }
    }

    /// Sets the score; gives the old one.
    pub fn set_score(&mut self, prior_usd: u64, now: i64) -> Result<u16> {
        let score = self.reputation_bps_floor(prior_usd)?;
        self.scored_at = now;
        self.score_round = self.score_round.wrapping_add(1);
        (self.round_end, self.round_waiting) = (0, 0);
        Ok(core::mem::replace(&mut self.score, score))
    }

    /// 60 % of the time up, 25 % of the mean rating (1 is none of it, 5 all) and 15 % of the rentals that ended well, in
    /// basis points. Each part is the mean of its share, which weighs the micro-USD that renters have paid themselves (for
    /// the ratings: the raters), and of one half, which weighs `prior_usd`; for the rentals also of nothing, which weighs
    /// what reports and contests do. Shares, parts and the sum are rounded down; a share without
    /// data is half.
    pub fn reputation_bps_floor(&self, prior_usd: u64) -> Result<u16> {
        let part = |share, paid_usd| math::weighted_mean_floor(&[(share, paid_usd), (BPS / 2, prior_usd)]);
        let uptime = part(share_bps_floor(self.up_seconds, self.tracked_seconds)?, self.paid_usd)?;
        let above_one = self.rating_sum.saturating_sub(self.rating_weight);
        let rating = part(share_bps_floor(above_one, self.rating_weight.saturating_mul(4))?, self.rating_weight)?;
        let ended = u64::from(self.completed).saturating_add(self.failed.into());
        let ended_well = share_bps_floor(self.completed.into(), ended)?;
        let shares = [(ended_well, self.paid_usd), (0, self.not_as_listed_usd), (BPS / 2, prior_usd)];
        let completion = math::weighted_mean_floor(&shares)?;
        let weighted = uptime
            .saturating_mul(REPUTATION_UPTIME_PERCENT)
            .saturating_add(rating.saturating_mul(REPUTATION_RATING_PERCENT))
            .saturating_add(completion.saturating_mul(REPUTATION_COMPLETION_PERCENT));
        u16::try_from(weighted / 100).map_err(|_| MarketError::MathOverflow.into())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

/// `part` of `whole` in basis points, rounded down; half of them when there is no `whole`.
fn share_bps_floor(part: u64, whole: u64) -> Result<u64> {
    if whole == 0 {
        return Ok(BPS / 2);
    }
    math::mul_div_floor(part.min(whole), BPS, whole)
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    const PRIOR: u64 = 1_000;

    fn host(tracked: u64, up: u64, rating_sum: u64, rating_weight: u64, completed: u32, failed: u32) -> Host {
        let mut host: Host = anchor_lang::bytemuck::Zeroable::zeroed();
        (host.tracked_seconds, host.up_seconds) = (tracked, up);
        host.count(&Counts { rating_sum, rating_weight, completed, failed, ..Counts::default() });
        host
    }

    #[test]
    fn reputation__nothing_paid__is_half_whatever_is_counted() {
        for inputs in [(0, 0, 0), (100, 9, 0), (0, 0, 9), (u64::MAX, u32::MAX, 0)] {
            let (up, completed, failed) = inputs;
            assert_eq!(host(100, up, 0, 0, completed, failed).reputation_bps_floor(PRIOR), Ok(5_000), "{inputs:?}");
        }
    }

    #[test]
    fn reputation__table__weighs_each_part_by_what_was_paid_for_it() {
        const M: u64 = u64::MAX;
        for (paid_usd, inputs, score) in [
            (1_000, (0, 0, 0, 0, 0, 0), 5_000),
            (1_000, (100, 100, 0, 0, 0, 0), 6_500),
            (9_000, (100, 100, 0, 0, 0, 0), 7_700),
            (9_000, (100, 0, 0, 0, 0, 0), 2_300),
            (0, (0, 0, 5_000, 1_000, 0, 0), 5_625),
            (0, (0, 0, 1_000, 1_000, 0, 0), 4_375),
            (0, (0, 0, 3_000, 1_000, 0, 0), 5_000),
            (9_000, (0, 0, 50, 10, 0, 0), 5_012),
            (1_000, (0, 0, 0, 0, 1, 0), 5_375),
            (1_000, (0, 0, 0, 0, 0, 1), 4_625),
            (9_000, (100, 100, 45_000, 9_000, 9, 0), 9_500),
            (9_000, (100, 0, 9_000, 9_000, 0, 9), 500),
            (1_000, (100, 90, 4_500, 1_000, 4, 1), 6_893),
            (7, (3, 1, 7, 3, 1, 2), 4_989),
            (M, (M, M, 5, 1, u32::MAX, 0), 8_750),
            (M, (M, M, M, M / 4, u32::MAX, u32::MAX), 8_624),
        ] {
            let (tracked, up, sum, weight, completed, failed) = inputs;
            let mut host = host(tracked, up, sum, weight, completed, failed);
            host.paid_usd = paid_usd;
            assert_eq!(host.reputation_bps_floor(PRIOR), Ok(score), "{paid_usd} {inputs:?}");
        }
    }

    #[test]
    fn reputation__machines_not_as_listed__weigh_against_the_completed_rentals_alone() {
        for (paid_usd, reported_usd, score) in [
            (0, 0, 5_000),
            (0, 1, 4_999),
            (0, 1_000, 4_625),
            (0, u64::MAX, 4_250),
            (9_000, 0, 9_500),
            (9_000, 1_000, 9_370),
            (9_000, 9_000, 8_825),
            (u64::MAX, u64::MAX, 9_124),
        ] {
            let mut host = host(100, 100, 5 * paid_usd.min(9_000), paid_usd.min(9_000), u32::from(paid_usd > 0), 0);
            (host.paid_usd, host.not_as_listed_usd) = (paid_usd, reported_usd);
            assert_eq!(host.reputation_bps_floor(PRIOR), Ok(score), "{paid_usd} {reported_usd}");
        }
    }

    #[test]
    fn is_score_due__around_the_interval__from_it_on() {
        let mut host = host(0, 0, 0, 0, 0, 0);
        assert!(host.is_score_due(u32::MAX, 1));
        host.scored_at = 1_000;
        assert_eq!([1_099, 1_100, 1_101].map(|now| host.is_score_due(100, now)), [false, true, true]);
    }

    #[test]
    fn round__listings_come_and_go__is_complete_once_all_that_were_open_are_counted() {
        let mut host = host(0, 0, 0, 0, 0, 0);
        let mut listings: [Listing; 5] = anchor_lang::bytemuck::Zeroable::zeroed();
        for (id, listing) in (0..).zip(&mut listings) {
            listing.id = id;
        }
        assert!(host.is_round_complete(), "no machines");
        (host.open_listings, host.next_listing) = (3, 4);
        assert!(!host.is_round_complete() && !host.is_after_round(&listings[4]), "not begun");
        assert!(host.join_round(&mut listings[0]) && !host.join_round(&mut listings[0]));
        (host.open_listings, host.next_listing) = (4, 5);
        assert!(host.is_after_round(&listings[4]) && !host.join_round(&mut listings[4]), "created since");
        assert!(host.join_round(&mut listings[1]) && !host.is_round_complete());
        host.forget(&listings[0]).unwrap();
        host.forget(&listings[4]).unwrap();
        assert_eq!((host.open_listings, host.round_waiting), (2, 1));
        host.forget(&listings[2]).unwrap();
        assert!(host.is_round_complete());
        assert_eq!(host.set_score(PRIOR, 7), Ok(0));
        assert_eq!((host.score, host.scored_at, host.score_round), (5_000, 7, 1));
        assert_eq!((host.round_end, host.round_waiting), (0, 0));
        assert!(!host.is_round_complete() && host.join_round(&mut listings[1]) && host.is_round_complete());
    }
}
