use crate::*;

/// One rental of one listing, at seeds `"rental", renter, nonce`; it lives from opening to the transaction that ends it.
///
/// Every amount is a function of the rates below and of seconds, so nothing drifts: settling at t1 and then t2 pays
/// what settling at t2 alone would.
#[account]
pub struct Rental {
    pub version: u8,
    pub bump: u8,
    /// See [`RentalKind`].
    pub kind: u8,
    /// See [`RentalState`].
    pub state: u8,
    /// 1 to 5; zero until rated.
    pub rating: u8,
    /// Shard of the vault that holds the escrow.
    pub shard: u8,
    /// Seconds of silence after which the host counts as offline.
    pub offline_after: u16,
    pub renter: Address,
    pub listing: Address,
    pub mint: Address,
    /// SHA-256 of the order document.
    pub order_hash: [u8; 32],
    pub nonce: u64,
    /// What the renter has put in; once it has ended, what they are still owed.
    pub deposit: u64,
    /// Base units per hour that the renter pays, fees and burn included.
    pub rate: u64,
    /// Base units per hour from the subsidy pool.
    pub subsidy_rate: u64,
    pub burn_rate: u64,
    /// Base units per hour that the market takes from both sides.
    pub fee_rate: u64,
    pub created_at: i64,
    /// Zero until the host starts the machine.
    pub started_at: i64,
    /// Seconds paid for.
    pub duration: u32,
    /// Seconds the host has been paid for.
    pub settled: u32,
    pub seq: u32,
    pub holdback_bps: u16,
    pub provision_timeout: u16,
    pub tip_lamports: u32,
    /// Micro-USD per machine-hour when opened.
    pub rate_usd: u32,
    /// Seconds of use, up to the latest, whose holdback is at risk.
    pub holdback_window: u32,
    /// Seconds from `created_at` to the host's acceptance.
    pub accepted_after: u32,
    /// Least seconds that the renter pays for once the machine has been prepared.
    pub min_charge: u16,
    /// Seconds from `created_at` after which a host that has not started is owed nothing for preparing.
    pub promise: u16,
    /// The renter's fee on the price, discount taken off, rounded down.
    pub renter_fee_bps: u16,
    /// What the price is below the listing's on demand, of a reserved rental.
    pub discount_bps: u16,
}

const _: () = assert!(size_of::<Rental>() + 8 == 248);

#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
pub enum RentalState {
    Queued,
    Provisioning,
    Running,
    /// Over, and kept as the record of what the renter could not be paid.
    Ended,
}

impl Rental {
    pub fn is(&self, state: RentalState) -> bool {
        self.state == state as u8
    }

    pub fn current_state(&self) -> RentalState {
        if self.is(RentalState::Running) {
            RentalState::Running
        } else if self.is(RentalState::Provisioning) {
            RentalState::Provisioning
        } else if self.has_ended() {
            RentalState::Ended
        } else {
            RentalState::Queued
        }
    }

    pub fn has_ended(&self) -> bool {
        self.is(RentalState::Ended)
    }

    /// The rental is over, and its renter could not be paid `amount`.
    pub fn owe(&mut self, amount: u64) {
        self.state = RentalState::Ended as u8;
        self.deposit = amount;
    }

    pub fn require_live(&self) -> Result<()> {
        require!(!self.has_ended(), MarketError::WrongRentalState);
        Ok(())
    }

    pub fn is_reserved(&self) -> bool {
        self.kind == RentalKind::Reserved as u8
    }

    pub fn require_state(&self, state: RentalState) -> Result<()> {
        require!(self.is(state), MarketError::WrongRentalState);
        Ok(())
    }

    pub fn require_renter(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.renter, signer), MarketError::WrongRenter);
        Ok(())
    }

    /// The least spot bid that beats this rental: its price and the market's increment on it, rounded up.
    pub fn least_bid_usd(&self, increment_bps: u16) -> Result<u64> {
        let rate = u64::from(self.rate_usd);
        math::add(rate, math::share_ceil(rate, increment_bps)?.max(1))
    }

    /// Requires that an order of `kind` at `usd` micro-USD per machine-hour displaces this rental: only spot gives way,
    /// to a bid that is high enough or to an order of another kind that pays at least as much.
    pub fn require_beaten_by(&self, kind: RentalKind, usd: u32, increment_bps: u16) -> Result<()> {
        require!(self.kind == RentalKind::Spot as u8, MarketError::ListingOccupied);
        if kind == RentalKind::Spot {
            require!(u64::from(usd) >= self.least_bid_usd(increment_bps)?, MarketError::BidTooLow);
        }
        require!(usd >= self.rate_usd, MarketError::PriceBelowHolder);
        Ok(())
    }

    /// Requires that the rental's own price comes, at `token_price` and by the mint's terms, to about the rates that the
    /// rental has: at most `tolerance_bps` more for its renter, and that much more or less for the subsidy pool.
    pub fn require_repriced_within(&self, mint: &PaymentMint, token_price: u64, tolerance_bps: u16) -> Result<()> {
        let price = math::usd_to_base_units_ceil(self.rate_usd.into(), token_price, mint.decimals)?;
        let fees = Fees { bps: self.renter_fee_bps.saturating_mul(2), ..Fees::default() };
        let today = Rates::at(price, &fees, mint.subsidy_bps, mint.burn_bps)?;
        let most = math::add(self.rate, math::share_floor(self.rate, tolerance_bps)?)?;
        let apart = today.subsidy.abs_diff(self.subsidy_rate);
        let is_near = today.rate <= most && apart <= math::share_floor(self.subsidy_rate, tolerance_bps)?;
        require!(is_near, MarketError::RentalRepriced);
        Ok(())
    }

    /// When the paid time of a running rental ends.
    pub fn paid_until(&self) -> i64 {
        self.started_at.saturating_add(self.duration.into())
    }

    /// Last moment at which the host may still start.
    pub fn start_by(&self) -> i64 {
        self.created_at.saturating_add(self.provision_timeout.into())
    }

    /// Seconds of paid time used at `at`.
    pub fn used_at(&self, at: i64) -> u32 {
        if self.is(RentalState::Running) {
            math::seconds_between(self.started_at, at).min(self.duration)
        } else {
            0
        }
    }

    /// Seconds that the renter pays for when the rental ends for `reason` at `now`, after `used` seconds of the paid
    /// time: once it runs no fewer than the least charge, unless the host ended it or failed; before that as long as
    /// the host has been preparing, and no more than the least charge. Whoever stops a reserved rental early gives its
    /// discount back, in seconds at the discounted rates.
    pub fn charged(&self, reason: CloseReason, used: u32, now: i64) -> Result<u32> {
        let least = u32::from(self.min_charge);
        Ok(match reason {
            CloseReason::Stopped => self.undiscounted_ceil(used.max(least))?,
            CloseReason::Preempted if self.is(RentalState::Running) => used.max(least),
            CloseReason::Withdrawn => self.prepared_at(now).min(least),
            _ => used,
        })
    }

    /// Seconds for which the host has been preparing the machine at `now`; none once it has not started by the time it
    /// promises.
    fn prepared_at(&self, now: i64) -> u32 {
        let promised_at = self.created_at.saturating_add(self.promise.into());
        if !self.is(RentalState::Provisioning) || now > promised_at {
            return 0;
        }
        math::seconds_between(self.created_at.saturating_add(self.accepted_after.into()), now)
    }

    /// Seconds of paid time that count at `at`: no fewer than the host has been paid for, should the clock go back.
    pub fn owed_at(&self, at: i64) -> u32 {
        self.used_at(at).max(self.settled)
    }

    /// Seconds of this rental that cost what `seconds` do without its discount, rounded up; at most all that are paid.
    fn undiscounted_ceil(&self, seconds: u32) -> Result<u32> {
        if self.discount_bps == 0 {
            return Ok(seconds);
        }
        let paid_share = BPS.saturating_sub(self.discount_bps.into());
        let seconds = math::mul_div_ceil(seconds.into(), BPS, paid_share)?;
        Ok(u32::try_from(seconds).unwrap_or(u32::MAX).min(self.duration))
    }

    /// What the renter owes for `seconds`, rounded up.
    pub fn spent_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.rate, seconds)
    }

    /// What the subsidy pool owes for `seconds`, rounded up.
    pub fn subsidy_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.subsidy_rate, seconds)
    }

    /// What is burned for `seconds`, rounded down.
    pub fn burned_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.burn_rate, seconds)
    }

    /// What the host earns in `seconds`, rounded down, holdback included.
    pub fn earned_floor(&self, seconds: u32) -> Result<u64> {
        let host_rate = math::sub(math::add(self.rate, self.subsidy_rate)?, math::add(self.burn_rate, self.fee_rate)?)?;
        math::accrued_floor(host_rate, seconds)
    }

    /// What the host may be paid for `seconds` while the rental runs, rounded down: earnings less the holdback on the
    /// last window of them. It never falls as the seconds grow.
    pub fn payable_floor(&self, seconds: u32) -> Result<u64> {
        if seconds == 0 {
            return Ok(0);
        }
        let earned = self.earned_floor(seconds)?;
        let safe = if seconds > self.holdback_window {
            self.earned_floor(seconds.saturating_sub(self.holdback_window))?
        } else {
            0
        };
        let released = BPS.saturating_sub(self.holdback_bps.into());
        math::add(safe, math::mul_div_floor(math::sub(earned, safe)?, released, BPS)?)
    }

    /// Base units of this rental that the vault still holds.
    pub fn escrow(&self) -> Result<u64> {
        let came = math::add(self.deposit, self.subsidy_ceil(self.duration)?)?;
        math::sub(came, self.payable_floor(self.settled)?)
    }

    /// Divides the remaining escrow when `charged` seconds are paid for. When the host is at fault the holdback goes to
    /// the renter.
    pub fn split(&self, charged: u32, host_at_fault: bool) -> Result<Split> {
        let spent = self.spent_ceil(charged)?;
        let subsidy = self.subsidy_ceil(charged)?;
        let burned = self.burned_floor(charged)?;
        let earned = self.earned_floor(charged)?;
        let fees = math::sub(math::add(spent, subsidy)?, math::add(burned, earned)?)?;
        let payable = if host_at_fault { self.payable_floor(charged)? } else { earned };
        let compensation = math::sub(earned, payable)?;
        Ok(Split {
            paid: math::sub(payable, self.payable_floor(self.settled)?)?,
            fees,
            burned,
            refunded: math::add(math::sub(self.deposit, spent)?, compensation)?,
            subsidy_returned: math::sub(self.subsidy_ceil(self.duration)?, subsidy)?,
        })
    }

    /// Micro-USD of machine time in `seconds`, rounded down.
    pub fn used_usd_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.rate_usd.into(), seconds)
    }

    /// Micro-USD of machine time that the renter has paid for in `seconds`: without the subsidy's part, rounded
    /// down.
    pub fn paid_usd_floor(&self, seconds: u32) -> Result<u64> {
        let came = math::add(self.rate, self.subsidy_rate)?;
        math::mul_div_floor(self.used_usd_floor(seconds)?, self.rate, came)
    }

    pub fn next_seq(&mut self) -> u32 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rental(rates: Rates, duration: u32, settled: u32, holdback_bps: u16) -> Rental {
        let mut rental: Rental = anchor_lang::bytemuck::Zeroable::zeroed();
        rental.state = RentalState::Running as u8;
        rental.rate = rates.rate;
        rental.subsidy_rate = rates.subsidy;
        rental.burn_rate = rates.burn;
        rental.fee_rate = rates.fee;
        rental.duration = duration;
        rental.settled = settled;
        rental.holdback_bps = holdback_bps;
        rental.holdback_window = 86_400;
        rental.deposit = rental.spent_ceil(duration).unwrap();
        rental
    }

    prop_compose! {
        fn any_rates()(
            price in 1u64..1 << 48, fee in 0u16..=3_000, extra in 0u16..=3_000, subsidy in 0u16..=8_500, burn in 0u16..=5_000
        ) -> (u64, Rates) {
            (price, Rates::at(price, &Fees { bps: fee, extra_bps: extra, ..Fees::default() }, subsidy, burn).unwrap())
        }
    }

    proptest! {
        #[test]
        fn split__any_moment__keeps_the_money_equation(
            (_, rates) in any_rates(), duration in 60u32..10_800_000, used in 0u32..10_800_000, settled in 0u32..10_800_000,
            holdback in 0u16..=5_000, fault: bool
        ) {
            let used = used.min(duration);
            let rental = rental(rates, duration, settled.min(used), holdback);
            let split = rental.split(used, fault).unwrap();
            let came = rental.deposit + rental.subsidy_ceil(duration).unwrap();
            let before = rental.payable_floor(rental.settled).unwrap();
            let went = split.paid + split.fees + split.burned + split.refunded + split.subsidy_returned;
            prop_assert_eq!(came, before + went);
            prop_assert_eq!(rental.escrow().unwrap(), went);
            if used == duration && !fault {
                prop_assert_eq!((split.refunded, split.subsidy_returned), (0, 0));
            }
        }

        #[test]
        fn settle__in_two_steps__pays_what_one_step_pays(
            (_, rates) in any_rates(), duration in 60u32..10_800_000, a in 0u32..10_800_000, b in 0u32..10_800_000, holdback in 0u16..=5_000,
            window in 0u32..10_800_000
        ) {
            let mut rental = rental(rates, duration, 0, holdback);
            rental.holdback_window = window;
            let (a, b) = (a.min(b).min(duration), a.max(b).min(duration));
            prop_assert!(rental.payable_floor(a).unwrap() <= rental.payable_floor(b).unwrap());
            prop_assert!(rental.payable_floor(b).unwrap() <= rental.earned_floor(b).unwrap());
        }

        #[test]
        fn extension__any_split_of_the_time__costs_what_one_order_costs(
            (_, rates) in any_rates(), first in 60u32..5_000_000, more in 1u32..5_000_000
        ) {
            let mut short = rental(rates, first, 0, 0);
            let added = short.spent_ceil(first + more).unwrap() - short.deposit;
            short.deposit += added;
            prop_assert_eq!(short.deposit, rental(rates, first + more, 0, 0).deposit);
        }
    }

    #[test]
    fn paid_usd__with_and_without_subsidy__is_the_renters_part_of_the_time() {
        for (rate, subsidy, seconds, paid) in
            [(1_000, 0, 3_600, 2_000_000), (250, 750, 3_600, 500_000), (250, 750, 1_801, 250_138), (1, 2, 0, 0)]
        {
            let mut rental = rental(Rates { rate, subsidy, burn: 0, fee: 0 }, 7_200, 0, 0);
            rental.rate_usd = 2_000_000;
            assert_eq!(rental.paid_usd_floor(seconds), Ok(paid));
        }
    }

    #[test]
    fn payable__around_the_window__holds_back_from_its_seconds_alone() {
        let mut rental = rental(Rates { rate: 3_600, subsidy: 0, burn: 0, fee: 0 }, 1_000_000, 0, 1_000);
        rental.holdback_window = 100;
        for (seconds, payable) in [(0, 0), (1, 0), (99, 89), (100, 90), (101, 91), (200, 190), (1_000_000, 999_990)] {
            assert_eq!(rental.payable_floor(seconds), Ok(payable), "{seconds}");
        }
        rental.holdback_window = 0;
        assert_eq!(rental.payable_floor(101), Ok(101));
    }

    #[test]
    fn used_at__edges__stays_within_the_paid_time() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        rental.started_at = 1_000;
        for (at, used) in [(999, 0), (1_000, 0), (1_001, 1), (1_099, 99), (1_100, 100), (1_101, 100)] {
            assert_eq!(rental.used_at(at), used);
        }
        rental.settled = 50;
        assert_eq!([1_049, 1_051].map(|at| rental.owed_at(at)), [50, 51]);
        rental.state = RentalState::Provisioning as u8;
        assert_eq!(rental.used_at(1_050), 0);
    }

    #[test]
    fn least_bid__table__is_the_rate_and_the_increment_rounded_up() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        for (rate, increment, least) in [
            (1_000_000, 500, 1_050_000),
            (1_000_001, 500, 1_050_002),
            (1, 1, 2),
            (0, 500, 1),
            (10_000, 1, 10_001),
            (10_001, 1, 10_003),
            (u32::MAX, 5_000, 6_442_450_943),
        ] {
            rental.rate_usd = rate;
            assert_eq!(rental.least_bid_usd(increment), Ok(least), "{rate} {increment}");
        }
    }

    #[test]
    fn beaten_by__each_pair_of_kinds__only_spot_gives_way_and_to_no_lower_price() {
        use RentalKind::*;
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100, 0, 0);
        rental.rate_usd = 1_000_000;
        for (holder, kind, usd, is_beaten) in [
            (Spot, Spot, 1_049_999, false),
            (Spot, Spot, 1_050_000, true),
            (Spot, OnDemand, 999_999, false),
            (Spot, OnDemand, 1_000_000, true),
            (Spot, Reserved, 999_999, false),
            (Spot, Reserved, 1_000_000, true),
            (OnDemand, Spot, u32::MAX, false),
            (OnDemand, OnDemand, u32::MAX, false),
            (OnDemand, Reserved, u32::MAX, false),
            (Reserved, Spot, u32::MAX, false),
            (Reserved, OnDemand, u32::MAX, false),
        ] {
            rental.kind = holder as u8;
            assert_eq!(rental.require_beaten_by(kind, usd, 500).is_ok(), is_beaten, "{holder:?} {kind:?} {usd}");
        }
    }

    #[test]
    fn repriced__around_the_tolerance__bounds_the_renters_rate_above_and_the_subsidy_to_both_sides() {
        let mut mint: PaymentMint = anchor_lang::bytemuck::Zeroable::zeroed();
        let fees = Fees { bps: 1_000, renter_discount_bps: 3_333, ..Fees::default() };
        mint.decimals = 6;
        let token_price = |units: u64| 1_000_000_000_000_000_000 / units;
        for (subsidy_bps, tolerance, price, is_near) in [
            (0, 1_000, 1_100_000, true),
            (0, 1_000, 1_100_200, false),
            (0, 1_000, 1, true),
            (0, 0, 1_000_000, true),
            (0, 0, 1_000_200, false),
            (5_000, 1_000, 1_100_000, true),
            (5_000, 1_000, 1_100_200, false),
            (5_000, 1_000, 900_000, true),
            (5_000, 1_000, 899_998, false),
        ] {
            let rates = Rates::at(1_000_000, &fees, subsidy_bps, 0).unwrap();
            let mut rental = rental(rates, 100, 0, 0);
            (rental.rate_usd, rental.renter_fee_bps) = (1_000_000, fees.of_renter_bps_floor());
            mint.subsidy_bps = subsidy_bps;
            let result = rental.require_repriced_within(&mint, token_price(price), tolerance);
            assert_eq!(result.is_ok(), is_near, "{subsidy_bps} {tolerance} {price}");
        }
    }

    #[test]
    fn charged__reserved_rental__gives_the_discount_back_only_when_its_renter_stops_it() {
        let mut rental = rental(Rates { rate: 1, subsidy: 0, burn: 0, fee: 0 }, 100_000, 0, 0);
        for (discount_bps, used, charged) in [
            (0, 12_345, 12_345),
            (1_000, 0, 0),
            (1_000, 9, 10),
            (1_000, 10, 12),
            (1_000, 89_999, 99_999),
            (1_000, 90_000, 100_000),
            (1_000, 90_001, 100_000),
            (5_000, 49_999, 99_998),
            (3_333, 2, 3),
        ] {
            rental.discount_bps = discount_bps;
            assert_eq!(rental.charged(CloseReason::Stopped, used, 0), Ok(charged), "{discount_bps} {used}");
            for reason in [CloseReason::Expired, CloseReason::HostOffline, CloseReason::HostFault] {
                assert_eq!(rental.charged(reason, used, 0), Ok(used));
            }
        }
        rental.duration = u32::MAX;
        assert_eq!(rental.charged(CloseReason::Stopped, u32::MAX - 1, 0), Ok(u32::MAX));
    }
}
