use crate::*;

/// Limits of a rental's optional charges, at seeds `"meter", rental`. It outlives the rental: the host has a last
/// report and the renter the time to dispute it.
///
/// The escrowed cap is divided in full: `cap = paid + refunded + kept`. What the host reports is pending for `charge_window`
/// seconds, then accepted; a dispute freezes it, and it is dropped unless the renter accepts it after all.
#[account]
pub struct Meter {
    pub version: u8,
    pub bump: u8,
    /// Shard of the vault that holds the escrow.
    pub shard: [u8; 1],
    pub reserved_flags: [u8; 5],
    pub rental: Address,
    pub renter: Address,
    pub listing: Address,
    /// The host's wallet: it is paid, and reports once the listing is closed.
    pub authority: Address,
    pub mint: Address,
    pub seq: u64,
    /// Deposit of the renter: the most that is ever charged.
    pub cap: u64,
    /// Charged for good, whether paid or not.
    pub accepted: u64,
    /// Of it, paid to the host.
    pub paid: u64,
    /// Reported, and open to dispute.
    pub pending: u64,
    /// Disputed, and open to acceptance.
    pub disputed: u64,
    /// MB of outbound traffic since the meter opened, as last reported.
    pub bandwidth_mb: u64,
    /// GB × hours of storage since the meter opened and the rental started, as last reported.
    pub storage_gb_hours: u64,
    /// Base units per TB of traffic above the allowance.
    pub bandwidth_rate: u64,
    /// Base units per 1000 GB-hours of storage.
    pub storage_rate: u64,
    pub opened_at: i64,
    /// When the pending amount was last added to.
    pub reported_at: i64,
    /// When the disputed amount was last added to.
    pub disputed_at: i64,
    /// When the rental ended; zero before.
    pub ended_at: i64,
    pub bandwidth_free_gb: u32,
    /// GB of storage that the renter asked for.
    pub storage_gb: u32,
    /// Seconds to dispute a report, to accept after a dispute, and to report after the end.
    pub charge_window: u32,
    pub reserved_tail: [u8; 4],
    /// Until when the rental was paid for, as its opening or its last report saw it running, and since its end until when it
    /// was used; zero if none saw it running.
    pub paid_until: i64,
    /// When the accepted amount was last added to.
    pub accepted_at: i64,
    /// From when storage counts: the meter's opening or the rental's start, whichever came later; zero before the start.
    pub stored_from: i64,
    pub reserved: [u8; 8],
}

const _: () = assert!(size_of::<Meter>() == 328);

impl Meter {
    /// Starts the meter of `rental` at the listing's charges now; `token_price` is pico-USD per whole token. Rates are
    /// rounded up. The caller sets the escrow's side: mint, shard and cap.
    pub fn open(&mut self, rental: &Rental, listing: &Listing, token_price: u64, decimals: u8, now: i64) -> Result<()> {
        let rate =
            |usd: u32| math::usd_to_base_units_ceil(u64::from(usd).saturating_mul(MB_PER_GB), token_price, decimals);
        self.shard = [rental.shard];
        self.renter = rental.renter;
        self.listing = rental.listing;
        self.authority = listing.authority;
        self.mint = rental.mint;
        self.bandwidth_rate = rate(listing.bandwidth_usd)?;
        self.storage_rate = rate(listing.storage_usd)?;
        self.bandwidth_free_gb = listing.bandwidth_free_gb;
        self.opened_at = now;
        self.follow(rental);
        Ok(())
    }

    /// Learns from when a running rental has run, and until when it is paid for.
    pub fn follow(&mut self, rental: &Rental) {
        if rental.is(RentalState::Running) {
            self.stored_from = self.opened_at.max(rental.started_at);
            self.paid_until = rental.paid_until();
        }
    }

    /// Its rental ends at `now`, after `used` seconds: no storage counts past them, also where a host is proven silent only
    /// later, and the host has the charge window to report for the last time. Only the ending itself can say so, since
    /// nothing on chain tells later when a closed rental has ended.
    pub fn end(&mut self, rental: &Account<Rental>, used: u32, now: i64) -> Result<()> {
        require!(address_eq(&self.rental, rental.address()), MarketError::WrongRental);
        self.follow(rental);
        if self.paid_until != 0 {
            self.paid_until = rental.started_at.saturating_add(used.into());
        }
        self.ended_at = now;
        Ok(())
    }

    pub fn require_renter(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.renter, signer), MarketError::WrongRenter);
        Ok(())
    }

    /// True if `vault` holds the escrow.
    pub fn is_held_by(&self, vault: &Vault) -> bool {
        address_eq(&vault.mint, &self.mint) && vault.shard == self.shard
    }

    pub fn has_ended(&self) -> bool {
        self.ended_at != 0
    }

    /// Last moment at which the host may report.
    pub fn report_by(&self) -> i64 {
        if self.has_ended() {
            self.after_window(self.ended_at)
        } else {
            i64::MAX
        }
    }

    /// Last moment at which the renter may dispute what is pending.
    pub fn dispute_by(&self) -> i64 {
        self.after_window(self.reported_at)
    }

    /// Last moment at which a dispute still waits for the renter's acceptance.
    pub fn resolve_by(&self) -> i64 {
        self.after_window(self.disputed_at)
    }

    fn after_window(&self, at: i64) -> i64 {
        at.saturating_add(self.charge_window.into())
    }

    /// The most GB-hours of storage that can have been used at `now`, rounded down: none before the start, after the time
    /// that was paid for, or once the rental has ended.
    pub fn storage_limit_floor(&self, now: i64) -> Result<u64> {
        let seconds = math::seconds_between(self.stored_from, now.min(self.paid_until));
        math::mul_div_floor(self.storage_gb.into(), seconds.into(), SECONDS_PER_HOUR)
    }

    /// The price of all that has been reported, whatever the cap; each part rounded down, no more than 64 bits hold.
    pub fn price_floor(&self) -> u64 {
        let free = u64::from(self.bandwidth_free_gb).saturating_mul(MB_PER_GB);
        let above = self.bandwidth_mb.saturating_sub(free);
        // The only error of these divisions is a result past 64 bits, far above any cap.
        let bandwidth = math::mul_div_floor(self.bandwidth_rate, above, MB_PER_TB).unwrap_or(u64::MAX);
        let storage = math::mul_div_floor(self.storage_rate, self.storage_gb_hours, MB_PER_GB).unwrap_or(u64::MAX);
        bandwidth.saturating_add(storage)
    }

    /// Charges so far, or if the renter agrees to all.
    fn claimed(&self) -> Result<u64> {
        math::add(math::add(self.accepted, self.pending)?, self.disputed)
    }

    /// Takes the host's new totals; gives what they add to the pending amount, which is open to dispute from now on.
    /// Usage past the cap is not charged, now or later, and neither is what a rental uses that has not started.
    /// Storage counts until `until`: of a running rental, until its machine was last heard from, since more is not charged
    /// if it is never heard from again.
    pub fn report(&mut self, bandwidth_mb: u64, storage_gb_hours: u64, until: i64, now: i64) -> Result<u64> {
        require!(self.paid_until != 0, MarketError::RentalNotStarted);
        require!(now <= self.report_by(), MarketError::ReportTooLate);
        let grows = bandwidth_mb >= self.bandwidth_mb && storage_gb_hours >= self.storage_gb_hours;
        let changes = bandwidth_mb != self.bandwidth_mb || storage_gb_hours != self.storage_gb_hours;
        require!(grows && changes, MarketError::UsageNotGrowing);
        require!(storage_gb_hours <= self.storage_limit_floor(until.min(now))?, MarketError::StorageAboveLimit);
        self.lapse(now)?;
        let before = self.price_floor();
        self.bandwidth_mb = bandwidth_mb;
        self.storage_gb_hours = storage_gb_hours;
        let room = math::sub(self.cap, self.claimed()?)?;
        let added = math::sub(self.price_floor(), before)?.min(room);
        if added > 0 {
            self.pending = math::add(self.pending, added)?;
            self.reported_at = now;
        }
        self.invariant()?;
        Ok(added)
    }

    /// Accepts what is pending once nobody may dispute it any more.
    pub fn lapse(&mut self, now: i64) -> Result<()> {
        if self.pending > 0 && now > self.dispute_by() {
            self.accepted = math::add(self.accepted, core::mem::take(&mut self.pending))?;
            self.accepted_at = self.dispute_by();
        }
        self.invariant()
    }

    /// Freezes what is pending; gives the amount.
    pub fn dispute(&mut self, now: i64) -> Result<u64> {
        self.lapse(now)?;
        require!(self.pending > 0, MarketError::NothingToDispute);
        let amount = core::mem::take(&mut self.pending);
        self.disputed = math::add(self.disputed, amount)?;
        self.disputed_at = now;
        self.invariant()?;
        Ok(amount)
    }

    /// Charges for good what is pending or disputed; gives the amount.
    pub fn accept(&mut self, now: i64) -> Result<u64> {
        let amount = math::add(core::mem::take(&mut self.pending), core::mem::take(&mut self.disputed))?;
        require!(amount > 0, MarketError::NothingToAccept);
        self.accepted = math::add(self.accepted, amount)?;
        self.accepted_at = now;
        self.invariant()?;
        Ok(amount)
    }

    /// Drops what is disputed, once the renter has had time to accept it; gives the amount.
    pub fn resolve(&mut self, now: i64) -> Result<u64> {
        require!(self.disputed > 0, MarketError::NothingDisputed);
        require!(now > self.resolve_by(), MarketError::DisputeOpen);
        let amount = core::mem::take(&mut self.disputed);
        self.invariant()?;
        Ok(amount)
    }

    /// Pays what is accepted and not paid yet; gives the amount.
    pub fn settle(&mut self, now: i64) -> Result<u64> {
        self.lapse(now)?;
        let amount = math::sub(self.accepted, self.paid)?;
        self.paid = self.accepted;
        Ok(amount)
    }

    /// `paid` and `kept` of what is accepted and `refunded` of what nobody will charge leave; the cap is what remains of
    /// all.
    pub fn divide(&mut self, paid: u64, refunded: u64, kept: u64) -> Result<()> {
        self.paid = math::add(self.paid, paid)?;
        self.accepted = math::sub(self.accepted, kept)?;
        self.cap = math::sub(self.cap, math::add(refunded, kept)?)?;
        self.invariant()
    }

    /// True if what is accepted is lost to a host whose own account cannot take it: after a second window, which begins
    /// once it is payable and the host may no longer report.
    pub fn payment_lapses(&self, now: i64) -> bool {
        now > self.after_window(self.report_by().max(self.accepted_at))
    }

    /// Requires that the rental has ended, the host has had its last report and nothing can be charged any more.
    pub fn require_final(&mut self, now: i64) -> Result<()> {
        require!(self.has_ended(), MarketError::MeterRunning);
        require!(now > self.report_by(), MarketError::MeterRunning);
        self.lapse(now)?;
        require!(self.pending == 0 && self.disputed == 0, MarketError::UsageUndecided);
        Ok(())
    }

    /// Nothing is charged above the cap, and nothing is paid that is not charged.
    pub fn invariant(&self) -> Result<()> {
        require!(self.paid <= self.accepted && self.claimed()? <= self.cap, MarketError::LedgerMismatch);
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use anchor_lang::bytemuck::Zeroable;
    use proptest::prelude::*;

    fn meter(cap: u64) -> Meter {
        let mut meter = Meter::zeroed();
        (meter.cap, meter.stored_from, meter.paid_until, meter.charge_window) = (cap, 1_000, 10_000, 100);
        (meter.bandwidth_rate, meter.storage_rate) = (1_500_000, 70);
        (meter.bandwidth_free_gb, meter.storage_gb) = (10, 100);
        meter
    }

    fn with_pending(cap: u64, amount_mb: u64, at: i64) -> Meter {
        let mut meter = meter(cap);
        meter.report(10_000 + amount_mb, 0, at, at).unwrap();
        meter
    }

    #[test]
    fn price__around_the_allowance_and_a_unit__rounds_down() {
        let mut meter = meter(1_000);
        for (mb, gb_hours, price) in [
            (0, 0, 0),
            (10_000, 0, 0),
            (10_001, 0, 1),
            (10_002, 0, 3),
            (10_000, 14, 0),
            (10_000, 15, 1),
            (10_001, 15, 2),
        ] {
            (meter.bandwidth_mb, meter.storage_gb_hours) = (mb, gb_hours);
            assert_eq!(meter.price_floor(), price, "{mb} {gb_hours}");
        }
        (meter.bandwidth_mb, meter.storage_gb_hours) = (u64::MAX, u64::MAX);
        assert_eq!(meter.price_floor(), u64::MAX);
    }

    #[test]
    fn report__around_the_cap__is_clamped_to_it() {
        for (mb, pending) in [(10_002, 3), (10_666, 999), (10_667, 1_000), (10_668, 1_000), (u64::MAX, 1_000)] {
            let mut meter = meter(1_000);
            assert_eq!(meter.report(mb, 0, 2_000, 2_000), Ok(pending));
            assert_eq!(meter.pending, pending);
        }
    }

    #[test]
    fn report__around_the_storage_limit__refuses_one_above() {
        for (at, limit) in [(1_000, 0), (1_035, 0), (1_036, 1), (4_600, 100), (8_200, 200)] {
            let mut meter = meter(1_000);
            assert_eq!(meter.storage_limit_floor(at), Ok(limit));
            assert!(meter.report(1, limit + 1, at, at).is_err());
            assert!(meter.report(1, limit, at, at).is_ok());
        }
        for (paid_until, limit) in [(999, 0), (1_000, 0), (4_599, 99), (4_600, 100), (8_200, 200), (8_201, 200)] {
            let mut meter = meter(1_000);
            meter.paid_until = paid_until;
            assert_eq!(meter.storage_limit_floor(8_200), Ok(limit), "{paid_until}");
        }
    }

    #[test]
    fn report__before_the_start__is_refused() {
        let mut meter = meter(1_000);
        meter.paid_until = 0;
        assert_eq!(meter.report(10_002, 0, 2_000, 2_000), Err(MarketError::RentalNotStarted.into()));
        assert_eq!((meter.bandwidth_mb, meter.pending), (0, 0));
    }

    #[test]
    fn report__that_falls_or_stays__is_refused() {
        let mut meter = meter(1_000);
        meter.report(50, 10, 2_000, 2_000).unwrap();
        assert!(meter.report(50, 10, 2_000, 2_000).is_err());
        assert!(meter.report(49, 11, 2_000, 2_000).is_err());
        assert!(meter.report(51, 9, 2_000, 2_000).is_err());
        assert!(meter.report(50, 11, 2_000, 2_000).is_ok());
    }

    #[test]
    fn window__at_its_last_second__still_disputes_and_pays_nothing() {
        let mut meter = with_pending(1_000, 2, 2_000);
        assert_eq!(meter.settle(2_100), Ok(0));
        assert_eq!(meter.dispute(2_100), Ok(3));
        assert!(meter.resolve(2_200).is_err());
        assert_eq!(meter.resolve(2_201), Ok(3));
    }

    #[test]
    fn window__one_second_later__pays_and_takes_no_dispute() {
        let mut meter = with_pending(1_000, 2, 2_000);
        assert!(meter.dispute(2_101).is_err());
        let mut meter = with_pending(1_000, 2, 2_000);
        assert_eq!(meter.settle(2_101), Ok(3));
        assert_eq!(meter.settle(2_101), Ok(0));
    }

    #[test]
    fn report__after_a_dispute__is_open_to_dispute_by_itself() {
        let mut meter = with_pending(1_000, 2, 2_000);
        meter.dispute(2_001).unwrap();
        assert_eq!(meter.report(10_004, 0, 2_050, 2_050), Ok(3));
        assert_eq!((meter.pending, meter.disputed), (3, 3));
        assert_eq!(meter.settle(2_151), Ok(3));
        assert_eq!(meter.resolve(2_151), Ok(3));
        assert_eq!((meter.accepted, meter.pending, meter.disputed), (3, 0, 0));
    }

    #[test]
    fn final__around_the_last_report__waits_for_it_and_its_window() {
        let mut meter = meter(1_000);
        assert!(meter.require_final(9_000).is_err());
        meter.ended_at = 2_000;
        assert!(meter.require_final(2_100).is_err());
        assert!(meter.report(10_002, 0, 2_101, 2_101).is_err());
        assert!(meter.report(10_002, 0, 2_100, 2_100).is_ok());
        assert!(meter.require_final(2_200).is_err());
        assert!(meter.require_final(2_201).is_ok());
        assert_eq!(meter.settle(2_201), Ok(3));
    }

    #[test]
    fn payment__around_the_second_window__lapses_after_its_last_second() {
        let mut meter = meter(1_000);
        assert!(!meter.payment_lapses(i64::MAX - 1), "running");
        meter.ended_at = 2_000;
        assert_eq!([2_200, 2_201].map(|now| meter.payment_lapses(now)), [false, true]);
        meter.report(10_002, 0, 2_100, 2_100).unwrap();
        meter.lapse(9_000).unwrap();
        assert_eq!((meter.accepted, meter.accepted_at), (3, 2_200));
        assert_eq!([2_300, 2_301].map(|now| meter.payment_lapses(now)), [false, true]);
        (meter.disputed, meter.disputed_at) = (5, 2_150);
        meter.accept(3_000).unwrap();
        assert_eq!([3_100, 3_101].map(|now| meter.payment_lapses(now)), [false, true]);
    }

    proptest! {
        #[test]
        fn acts__in_any_order__never_charge_above_the_cap(
            cap in 1u64..3_000, acts in prop::collection::vec((0u8..6, 0u64..1_000, 0i64..150), 1..60)
        ) {
            let mut meter = meter(cap);
            let (mut now, mut paid) = (1_000, 0);
            for (act, amount, later) in acts {
                now += later;
                let before = (meter.accepted, meter.paid);
                match act {
                    0 | 1 => { let _ = meter.report(meter.bandwidth_mb + amount, meter.storage_gb_hours, now, now); }
                    2 => { let _ = meter.dispute(now); }
                    3 => { let _ = meter.accept(now); }
                    4 => { let _ = meter.resolve(now); }
                    _ => paid += meter.settle(now).unwrap(),
                }
                prop_assert!(meter.invariant().is_ok());
                prop_assert!(before.0 <= meter.accepted && before.1 <= meter.paid);
                prop_assert!(meter.claimed().unwrap() <= meter.price_floor().min(cap));
            }
            prop_assert_eq!(paid, meter.paid);
        }
    }
}
