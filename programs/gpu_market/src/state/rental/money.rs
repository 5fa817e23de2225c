//! Costs, earnings and burn of a rental's seconds, and the division of its escrow.

use crate::*;

impl Rental {
    /// Cost of `seconds` to the renter, rounded up.
    pub fn spent_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.rate, seconds)
    }

    /// Cost of `seconds` to the subsidy pool, rounded up.
    pub fn subsidy_ceil(&self, seconds: u32) -> Result<u64> {
        math::accrued_ceil(self.subsidy_rate, seconds)
    }

    /// Burn of `seconds`, rounded down.
    pub fn burned_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.burn_rate, seconds)
    }

    /// Earnings of the host in `seconds`, rounded down, holdback included.
    pub fn earned_floor(&self, seconds: u32) -> Result<u64> {
        let host_rate = math::sub(math::add(self.rate, self.subsidy_rate)?, math::add(self.burn_rate, self.fee_rate)?)?;
        math::accrued_floor(host_rate, seconds)
    }

    /// Pay of the host for `seconds` while the rental runs, rounded down: earnings less the holdback on the
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

    /// Part of the earnings of `seconds` that is held back.
    pub fn holdback(&self, seconds: u32) -> Result<u64> {
        math::sub(self.earned_floor(seconds)?, self.payable_floor(seconds)?)
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
        let held_back = math::sub(earned, payable)?;
        Ok(Split {
            paid: math::sub(payable, self.payable_floor(self.settled)?)?,
            fees,
            burned,
            refunded: math::add(math::sub(self.deposit, spent)?, held_back)?,
            subsidy_returned: math::sub(self.subsidy_ceil(self.duration)?, subsidy)?,
            ..Split::default()
        })
    }

    /// Compensation of the machine's holder by an order that displaces them, or that its renter withdraws: what its
    /// deposit has beyond its cost. Nothing once it has been paid.
    pub fn compensation(&self) -> Result<u64> {
        math::sub(self.deposit, self.spent_ceil(self.duration)?)
    }

    /// Micro-USD of machine time in `seconds`, rounded down.
    pub fn used_usd_floor(&self, seconds: u32) -> Result<u64> {
        math::accrued_floor(self.rate_usd.into(), seconds)
    }

    /// Micro-USD of machine time that the renter has paid for in `seconds`: without the subsidy's part, rounded
    /// down.
    pub fn paid_usd_floor(&self, seconds: u32) -> Result<u64> {
        let used = self.used_usd_floor(seconds)?;
        if self.subsidy_rate == 0 {
            return Ok(used);
        }
        math::mul_div_floor(used, self.rate, math::add(self.rate, self.subsidy_rate)?)
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::super::tests::rental;
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn any_rates()(
            price in 1u64..1 << 48, fee in 0u16..=3_000, extra in 0u16..=3_000, subsidy in 0u16..=8_500, burn in 0u16..=5_000
        ) -> (u64, Rates) {
            let subsidy = math::share_floor(price, subsidy).unwrap();
            (price, Rates::at(price, &Fees { bps: fee, extra_bps: extra, ..Fees::default() }, subsidy, burn).unwrap())
        }
    }

    proptest! {
        #[test]
        fn split__any_moment__keeps_the_money_equation(
            (_, rates) in any_rates(), duration in 60u32..10_800_000, used in 0u32..10_800_000, settled in 0u32..10_800_000,
            holdback in 0u16..=5_000, fault: bool, least in 0u32..=3_600, leaves: bool, kept: bool
        ) {
            let used = used.min(duration);
            let mut rental = rental(rates, duration, settled.min(used), holdback);
            let compensation = rental.spent_ceil(least).unwrap();
            rental.deposit += compensation;
            prop_assert_eq!(rental.compensation().unwrap(), compensation);
            let mut split = rental.split(used, fault).unwrap();
            if leaves {
                split.compensate(compensation, if kept { compensation } else { 0 }).unwrap();
            }
            let came = rental.deposit + rental.subsidy_ceil(duration).unwrap();
            let before = rental.payable_floor(rental.settled).unwrap();
            let went =
                split.paid + split.fees + split.burned + split.refunded + split.subsidy_returned + split.compensation;
            prop_assert_eq!(came, before + went);
            prop_assert_eq!(rental.escrow().unwrap(), went);
            if used == duration && !fault {
                let spare = if leaves { 0 } else { compensation };
                prop_assert_eq!((split.refunded, split.subsidy_returned), (spare, 0));
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
            (_, rates) in any_rates(), first in 60u32..5_000_000, more in 1u32..5_000_000, spare in 0u64..1 << 40
        ) {
            let mut short = rental(rates, first, 0, 0);
            short.deposit += spare + short.spent_ceil(first + more).unwrap() - short.spent_ceil(first).unwrap();
            prop_assert_eq!(short.deposit, rental(rates, first + more, 0, 0).deposit + spare);
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
}
