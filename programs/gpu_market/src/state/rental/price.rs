//! Prices that beat a rental's, and the validity of its own.

use crate::*;

impl Rental {
    /// The least spot bid that beats this rental: its price and the market's increment on it, rounded up.
    pub fn least_bid_usd(&self, increment_bps: u16) -> Result<u64> {
        let rate = u64::from(self.rate_usd);
        math::add(rate, math::share_ceil(rate, increment_bps)?.max(1))
    }

    /// Requires that the rental gives way to a better one: only spot does.
    pub fn require_spot(&self) -> Result<()> {
        require!(self.kind == RentalKind::Spot as u8, MarketError::ListingOccupied);
        Ok(())
    }

    /// Requires that an order of `kind` at `usd` micro-USD per machine-hour displaces this rental: only spot gives way,
    /// to a bid that is high enough or to an order of another kind that pays at least as much.
    pub fn require_beaten_by(&self, kind: RentalKind, usd: u32, increment_bps: u16) -> Result<()> {
        self.require_spot()?;
        if kind == RentalKind::Spot {
            require!(u64::from(usd) >= self.least_bid_usd(increment_bps)?, MarketError::BidTooLow);
        }
        require!(usd >= self.rate_usd, MarketError::PriceBelowHolder);
        Ok(())
    }

    /// Requires that the rental's own price comes, at `token_price` and by the terms of the mint and the listing, to about
    /// the rates that the rental has: at most `tolerance_bps` more for its renter, and that much less for the subsidy pool. A
    /// subsidy that was small for another reason than the price keeps its share of it.
    pub fn require_repriced_within(
        &self,
        mint: &PaymentMint,
        listing: &Listing,
        token_price: u64,
        tolerance_bps: u16,
    ) -> Result<()> {
        let usd = u64::from(self.rate_usd);
        let price = math::usd_to_base_units_ceil(usd, token_price, mint.decimals)?;
        let fees = Fees { bps: self.renter_fee_bps.saturating_mul(2), ..Fees::default() };
        let unburned = math::sub(math::add(self.rate, self.subsidy_rate)?, self.burn_rate)?;
        let unburned_today = math::add(price, fees.of_renter_ceil(price)?)?;
        let own_share = math::mul_div_ceil(self.subsidy_rate, unburned_today, unburned)?;
        let granted = subsidy_floor(mint, listing, usd, price)?;
        let today = Rates::at(price, &fees, own_share.min(granted), mint.burn_bps)?;
        let most = math::add(self.rate, math::share_floor(self.rate, tolerance_bps)?)?;
        let beyond = self.subsidy_rate.saturating_sub(granted);
        let is_near = today.rate <= most && beyond <= math::share_floor(self.subsidy_rate, tolerance_bps)?;
        require!(is_near, MarketError::RentalRepriced);
        Ok(())
    }
}

#[cfg(test)]
#[allow(non_snake_case, clippy::arithmetic_side_effects)]
mod tests {
    use super::super::tests::rental;
    use super::*;

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
    fn repriced__around_the_tolerance__bounds_the_renters_rate_and_the_subsidy_above() {
        let mut mint: PaymentMint = anchor_lang::bytemuck::Zeroable::zeroed();
        let mut listing: Listing = anchor_lang::bytemuck::Zeroable::zeroed();
        (listing.gpu_count, listing.reference_usd) = (1, 1_000_000);
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
            let rates = Rates::at(1_000_000, &fees, math::share_floor(1_000_000, subsidy_bps).unwrap(), 0).unwrap();
            let mut rental = rental(rates, 100, 0, 0);
            (rental.rate_usd, rental.renter_fee_bps) = (1_000_000, fees.of_renter_bps_floor());
            mint.subsidy_bps = subsidy_bps;
            let result = rental.require_repriced_within(&mint, &listing, token_price(price), tolerance);
            assert_eq!(result.is_ok(), is_near, "{subsidy_bps} {tolerance} {price}");
        }
    }

    #[test]
    fn repriced__subsidy_below_the_full_one__keeps_its_share() {
        let mut mint: PaymentMint = anchor_lang::bytemuck::Zeroable::zeroed();
        let mut listing: Listing = anchor_lang::bytemuck::Zeroable::zeroed();
        (mint.decimals, mint.subsidy_bps, mint.burn_bps) = (6, 8_500, 1_000);
        (listing.gpu_count, listing.reference_usd) = (1, 1_000_000);
        for subsidy in [0, 1, 100_000, 850_000, 850_002, 863_600, 863_700] {
            let rates = Rates::at(1_000_000, &Fees::default(), subsidy, mint.burn_bps).unwrap();
            let mut rental = rental(rates, 100, 0, 0);
            rental.rate_usd = 1_000_000;
            for (price, is_near) in [(900_000, subsidy <= 850_000), (1_000_000, subsidy <= 863_636), (1_100_200, false)]
            {
                let token_price = 1_000_000_000_000_000_000 / price;
                let result = rental.require_repriced_within(&mint, &listing, token_price, 1_000);
                assert_eq!(result.is_ok(), is_near, "{subsidy} {price}");
            }
        }
    }
}
