use crate::*;

/// Per-hour rates of an order in base units; `rate + subsidy = host + fee + burn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub rate: u64,
    pub subsidy: u64,
    pub burn: u64,
    pub fee: u64,
}

/// Fees that the market takes from an order: half of `bps` comes on top of the price, half (and `extra_bps`) out of the
/// host's payout. Each side's half falls by its discount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fees {
    pub bps: u16,
    pub extra_bps: u16,
    pub renter_discount_bps: u64,
    pub host_discount_bps: u64,
}

impl Fees {
    /// The renter's fee on `price`, rounded up.
    pub fn of_renter_ceil(&self, price: u64) -> Result<u64> {
        discounted_ceil(price, self.bps / 2, self.renter_discount_bps, 0)
    }

    /// The renter's fee as a share of the price, rounded down.
    pub fn of_renter_bps_floor(&self) -> u16 {
        let share = u64::from(self.bps / 2).saturating_mul(BPS.saturating_sub(self.renter_discount_bps));
        u16::try_from(share / BPS).unwrap_or(u16::MAX)
    }

    /// The host's fee on `price`, rounded up.
    pub fn of_host_ceil(&self, price: u64) -> Result<u64> {
        let half = self.bps.saturating_sub(self.bps / 2);
        discounted_ceil(price, half, self.host_discount_bps, self.extra_bps)
    }
}

/// `bps` of `price` less the discount, and `extra_bps` of it, rounded up once.
fn discounted_ceil(price: u64, bps: u16, discount_bps: u64, extra_bps: u16) -> Result<u64> {
    if discount_bps == 0 {
        return math::share_ceil(price, bps.saturating_add(extra_bps));
    }
    const WHOLE: u64 = BPS * BPS;
    let share = u64::from(bps).saturating_mul(BPS.saturating_sub(discount_bps));
    math::mul_div_ceil(price, share.saturating_add(u64::from(extra_bps).saturating_mul(BPS)), WHOLE)
}

impl Rates {
    /// Rates at a market price of `price` base units per hour, `subsidy` of which the pool adds; the burn is `burn_bps` of
    /// all that the renter pays.
    pub fn at(price: u64, fees: &Fees, subsidy: u64, burn_bps: u16) -> Result<Self> {
        let renter_fee = fees.of_renter_ceil(price)?;
        let host_fee = fees.of_host_ceil(price)?;
        let unburned = math::sub(math::add(price, renter_fee)?, subsidy)?;
        let rate = math::mul_div_ceil(unburned, BPS, BPS.saturating_sub(burn_bps.into()))?;
        let burn = math::sub(rate, unburned)?;
        // An order whose rates cannot be added could be opened for a short time and never be divided.
        math::add(rate, subsidy)?;
        Ok(Self { rate, subsidy, burn, fee: math::add(renter_fee, host_fee)? })
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fees(bps: u16, extra_bps: u16, renter_discount_bps: u64, host_discount_bps: u64) -> Fees {
        Fees { bps, extra_bps, renter_discount_bps, host_discount_bps }
    }

    proptest! {
        #[test]
        fn rates__any_terms__what_comes_in_is_what_goes_out(
            price in 1u64..1 << 48, fee in 0u16..=3_000, extra in 0u16..=3_000, subsidy in 0u16..=8_500, burn in 0u16..=5_000,
            renter in 0u64..=5_000, host in 0u64..=5_000
        ) {
            let fees = fees(fee, extra, renter, host);
            let rates = Rates::at(price, &fees, math::share_floor(price, subsidy).unwrap(), burn).unwrap();
            let host_fee = fees.of_host_ceil(price).unwrap();
            prop_assert_eq!(rates.rate + rates.subsidy, price - host_fee + rates.fee + rates.burn);
            let least = math::share_floor(rates.rate, burn).unwrap();
            prop_assert!(rates.burn == least || rates.burn == least + 1);
        }
    }

    #[test]
    fn fees__with_discounts__fall_linearly_on_each_side_and_round_up() {
        for (price, bps, discount, fee) in [
            (1_000_000, 1_000, 0, 50_000),
            (1_000_000, 1_000, 2_500, 37_500),
            (1_000_000, 1_000, 5_000, 25_000),
            (1_000_000, 250, 5_000, 6_250),
            (1, 1_000, 5_000, 1),
            (0, 1_000, 5_000, 0),
        ] {
            let renter = fees(bps, 0, discount, 0);
            assert_eq!(renter.of_renter_ceil(price), Ok(fee));
            assert!(math::share_ceil(price, renter.of_renter_bps_floor()).unwrap() <= fee);
            assert_eq!(fees(bps, 0, 0, discount).of_host_ceil(price), Ok(fee));
        }
    }
}
