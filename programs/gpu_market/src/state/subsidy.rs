//! Subsidy of an order's price by the pool, and its bounds: the machine's reference price, so many hours of one
//! rental, what all machines of one host may draw in a day, and the share of each vault's pool that may leave in a day.

use crate::*;

/// Subsidy by the pool an hour to `price` base units of an order at `usd` micro-USD per machine-hour: the mint's share of it
/// up to the machine's reference price, rounded down.
pub fn subsidy_floor(mint: &PaymentMint, listing: &Listing, usd: u64, price: u64) -> Result<u64> {
    if mint.subsidy_bps == 0 {
        return Ok(0);
    }
    let reference = listing.machine_reference_usd();
    let covered = if usd > reference { math::mul_div_floor(price, reference, usd)? } else { price };
    math::share_floor(covered, mint.subsidy_bps)
}

/// The one rate at which `seconds` draw no more than `rate` draws in the hours that are subsidised, nor more than `left`
/// base units: `rate` itself, or a lower one, rounded down.
pub fn spread_floor(rate: u64, seconds: u32, market: &Market, left: u64) -> Result<u64> {
    if rate == 0 {
        return Ok(0);
    }
    let most = math::accrued_ceil(rate, seconds.min(market.subsidised_seconds()))?.min(left);
    if math::accrued_ceil(rate, seconds)? <= most {
        return Ok(rate);
    }
    math::mul_div_floor(most, SECONDS_PER_HOUR, seconds.into())
}

impl Market {
    /// Seconds of a rental whose whole price may be subsidised.
    pub fn subsidised_seconds(&self) -> u32 {
        const SECONDS: u32 = SECONDS_PER_HOUR as u32;
        u32::from(self.subsidy_max_hours).saturating_mul(SECONDS)
    }
}

impl Vault {
    /// Base units that may leave the subsidy pool at `now`: the market's share, rounded down, of what the day began with, less
    /// what has left it that day and not returned. Funding adds to what the day began with.
    pub fn subsidy_left(&self, market: &Market, now: i64) -> Result<u64> {
        let drawn = if self.subsidy_day == math::day(now) { self.subsidy_drawn } else { 0 };
        let share = math::share_floor(self.subsidy_pool.saturating_add(drawn), market.subsidy_daily_bps)?;
        Ok(share.saturating_sub(drawn))
    }

    /// `amount` leaves the pool at `now`.
    pub fn draw_subsidy(&mut self, amount: u64, now: i64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        self.subsidy_pool = math::sub(self.subsidy_pool, amount)?;
        let day = math::day(now);
        if core::mem::replace(&mut self.subsidy_day, day) != day {
            self.subsidy_drawn = 0;
        }
        self.subsidy_drawn = math::add(self.subsidy_drawn, amount)?;
        Ok(())
    }

    /// `amount` returns to the pool at `now`, and may leave it again that day, on whatever day it was drawn.
    pub fn return_subsidy(&mut self, amount: u64, now: i64) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        self.subsidy_pool = math::add(self.subsidy_pool, amount)?;
        if self.subsidy_day == math::day(now) {
            self.subsidy_drawn = self.subsidy_drawn.saturating_sub(amount);
        }
        Ok(())
    }
}

impl Host {
    /// Base units that an order at `now` may still draw of the day's budget.
    pub fn subsidy_left(&self, now: i64) -> u64 {
        let booked = if self.subsidy_day == math::day(now) { self.subsidy_booked } else { 0 };
        self.subsidy_budget.saturating_sub(booked)
    }

    /// An order at `now` draws `amount` of the day's budget.
    pub fn book_subsidy(&mut self, amount: u64, now: i64) -> Result<()> {
        require!(amount <= self.subsidy_left(now), MarketError::SubsidyBudgetSpent);
        let day = math::day(now);
        if core::mem::replace(&mut self.subsidy_day, day) != day {
            self.subsidy_booked = 0;
        }
        self.subsidy_booked = math::add(self.subsidy_booked, amount)?;
        Ok(())
    }

    /// The budget of the day has `amount` back; gives what is left booked, and the host's `seq`.
    pub fn return_subsidy(&mut self, amount: u64) -> (u64, u64) {
        self.subsidy_booked = self.subsidy_booked.saturating_sub(amount);
        (self.subsidy_booked, self.next_seq())
    }
}

impl Rental {
    /// True if the host's budget has back what the rental does not earn, if it ends at `now`: it is that of the same day.
    pub fn draws_on(&self, now: i64) -> bool {
        self.subsidy_day == math::day(now)
    }

    /// Requires that the rental, `duration` seconds long by now, draws no more than its hours allow. Who wants more rents
    /// anew: the rate that spreads a sum over a longer time would be another.
    pub fn require_subsidised_for(&self, market: &Market, duration: u32) -> Result<()> {
        require!(self.subsidy_rate == 0 || duration <= market.subsidised_seconds(), MarketError::SubsidyHoursSpent);
        Ok(())
    }

    /// Draw of an extension to `duration` seconds at `now`, which takes `added` from the pool, on the host's budget: on
    /// another day than the last all that may still be returned, since that would be to that day's budget. Whatever ends the
    /// rental, it has earned what it had used when its host was last `heard_at`.
    pub fn subsidy_to_book(&self, duration: u32, added: u64, heard_at: i64, now: i64) -> Result<u64> {
        if self.draws_on(now) {
            return Ok(added);
        }
        math::sub(self.subsidy_ceil(duration)?, self.subsidy_ceil(self.owed_at(heard_at.min(now)))?)
    }
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DAY: i64 = 86_400;

    fn zeroed<T: anchor_lang::bytemuck::Zeroable>() -> T {
        T::zeroed()
    }

    #[test]
    fn subsidy__around_the_reference_price__is_the_share_of_no_more_than_it() {
        let (mut mint, mut listing): (PaymentMint, Listing) = (zeroed(), zeroed());
        mint.subsidy_bps = 8_500;
        listing.gpu_count = 2;
        for (reference_usd, usd, price, subsidy) in [
            (500_000, 999_999, 100_000, 85_000),
            (500_000, 1_000_000, 100_000, 85_000),
            (500_000, 1_000_001, 100_000, 84_999),
            (500_000, 4_000_000, 400_000, 85_000),
            (0, 1, 100_000, 0),
        ] {
            listing.reference_usd = reference_usd;
            assert_eq!(subsidy_floor(&mint, &listing, usd, price), Ok(subsidy), "{reference_usd} {usd}");
        }
        mint.subsidy_bps = 0;
        assert_eq!(subsidy_floor(&mint, &listing, 1, 100_000), Ok(0));
    }

    proptest! {
        #[test]
        fn spread__any_order__draws_no_more_than_its_hours_and_what_is_left(
            rate in 0u64..1 << 48, seconds in 1u32..10_800_000, hours in 1u16..=3_000, left in 0u64..1 << 50
        ) {
            let mut market: Market = zeroed();
            market.subsidy_max_hours = hours;
            let spread = spread_floor(rate, seconds, &market, left).unwrap();
            let drawn = math::accrued_ceil(spread, seconds).unwrap();
            let whole = math::accrued_ceil(rate, seconds.min(market.subsidised_seconds())).unwrap();
            prop_assert!(spread <= rate && drawn <= whole && drawn <= left);
            if spread < rate {
                let next = math::accrued_ceil(spread.saturating_add(1), seconds).unwrap();
                prop_assert!(next > whole.min(left) || next == drawn);
            }
        }
    }

    #[test]
    fn budget__orders_and_endings_of_two_days__is_each_days_own() {
        let (mut host, mut rental): (Host, Rental) = (zeroed(), zeroed());
        let (today, tomorrow) = (100_i64.wrapping_mul(DAY), 101_i64.wrapping_mul(DAY));
        host.subsidy_budget = 100;
        host.book_subsidy(100, today).unwrap();
        assert!(host.book_subsidy(1, tomorrow.wrapping_sub(1)).is_err());
        rental.subsidy_day = math::day(today);
        assert!(rental.draws_on(tomorrow.wrapping_sub(1)) && !rental.draws_on(tomorrow));
        host.return_subsidy(60);
        assert_eq!((host.subsidy_booked, host.subsidy_left(today), host.subsidy_left(tomorrow)), (40, 60, 100));
        host.book_subsidy(70, tomorrow).unwrap();
        assert_eq!((host.subsidy_booked, host.subsidy_left(tomorrow)), (70, 30));
        host.return_subsidy(71);
        assert_eq!((host.subsidy_booked, host.subsidy_left(tomorrow)), (0, 100));
    }

    #[test]
    fn share__draws_and_returns_of_two_days__is_of_what_each_began_with() {
        let (mut vault, mut market): (Vault, Market) = (zeroed(), zeroed());
        let (today, tomorrow) = (100_i64.wrapping_mul(DAY), 101_i64.wrapping_mul(DAY));
        (vault.subsidy_pool, market.subsidy_daily_bps) = (1_009, 1_000);
        let left = |vault: &Vault, now| vault.subsidy_left(&market, now).unwrap();
        assert_eq!(left(&vault, today), 100);
        vault.draw_subsidy(60, today).unwrap();
        assert_eq!((left(&vault, today), vault.subsidy_pool), (40, 949));
        vault.draw_subsidy(40, today).unwrap();
        assert_eq!((left(&vault, tomorrow.wrapping_sub(1)), left(&vault, tomorrow)), (0, 90));
        vault.return_subsidy(30, today).unwrap();
        assert_eq!((left(&vault, today), vault.subsidy_drawn), (30, 70));
        vault.return_subsidy(20, tomorrow).unwrap();
        assert_eq!((left(&vault, tomorrow), vault.subsidy_drawn), (95, 70));
        vault.draw_subsidy(10, tomorrow).unwrap();
        assert_eq!((vault.subsidy_drawn, vault.subsidy_pool), (10, 949));
        vault.return_subsidy(25, tomorrow).unwrap();
        assert_eq!((left(&vault, tomorrow), vault.subsidy_drawn), (97, 0));
    }

    proptest! {
        #[test]
        fn share__any_draws_and_returns_of_a_day__lets_no_more_leave(
            pool in 0u64..1 << 50, bps in 1u16..=10_000, orders in proptest::collection::vec((0u64..1 << 48, any::<bool>()), 1..20)
        ) {
            let (mut vault, mut market): (Vault, Market) = (zeroed(), zeroed());
            (vault.subsidy_pool, market.subsidy_daily_bps) = (pool, bps);
            let share = math::share_floor(pool, bps).unwrap();
            for (wanted, returns) in orders {
                let drawn = wanted.min(vault.subsidy_left(&market, DAY).unwrap());
                vault.draw_subsidy(drawn, DAY).unwrap();
                prop_assert!(vault.subsidy_pool >= pool.saturating_sub(share));
                if returns {
                    vault.return_subsidy(drawn, DAY).unwrap();
                }
                prop_assert_eq!(vault.subsidy_drawn, pool.saturating_sub(vault.subsidy_pool));
            }
        }
    }

    #[test]
    fn budget__lowered_below_what_is_booked__leaves_nothing() {
        let mut host: Host = zeroed();
        host.subsidy_budget = 10;
        host.book_subsidy(10, 0).unwrap();
        host.subsidy_budget = 9;
        assert_eq!(host.subsidy_left(0), 0);
        assert!(host.book_subsidy(0, 0).is_ok());
    }
}
