use crate::*;
use core::ops::RangeInclusive;

/// Makes [`MarketParameter`] and all that is said about one: a row is a parameter, its field of [`Market`], its value at
/// the opening, and the values it may have, both ends included; those of a market for tests behind them.
macro_rules! parameters {
    ($($name:ident: $field:ident = $default:expr, in $bounds:expr $(, testing $testing:expr)?;)*) => {
        /// A numeric market parameter, of the same name as its field of the Market.
        #[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
        pub enum MarketParameter {
            $($name,)*
        }

        impl MarketParameter {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The values that no authority can leave; `testing` gives those of a market for tests.
            pub const fn bounds(self, testing: bool) -> RangeInclusive<u64> {
                match self {
                    $($(Self::$name if testing => $testing,)? Self::$name => $bounds,)*
                }
            }

            fn default(self) -> u64 {
                match self {
                    $(Self::$name => $default,)*
                }
            }
        }

        impl Market {
            fn replace(&mut self, parameter: MarketParameter, value: u64) -> Result<u64> {
                match parameter {
                    $(MarketParameter::$name => replace(&mut self.$field, value),)*
                }
            }

            fn is_within_bounds(&self) -> bool {
                let testing = self.is_testing();
                $(MarketParameter::$name.bounds(testing).contains(&self.$field.into()))&&*
            }
        }
    };
}

/// Milliseconds of the slowest and the fastest slots that the terms of an answer are made for.
const SLOWEST_SLOT_MS: u64 = 400;
const FASTEST_SLOT_MS: u64 = 100;
/// Milliseconds that a marked host has to answer, however fast the slots.
const LEAST_ANSWER_MS: u64 = 7_500;

// Durations are seconds. A new parameter goes to the end.
parameters! {
    OrderMinUsd: order_min_usd = 5 * USD, in 0..=1_000 * USD;
    TipLamports: tip_lamports = 20_000, in 0..=100_000_000;
    MinDuration: min_duration = 21_600, in 5..=86_400;
    MaxDuration: max_duration = MAX_DURATION as u64, in 3_600..=MAX_DURATION as u64;
    ProvisionTimeout: provision_timeout = 900, in 5..=43_200;
    OfflineAfter: offline_after = 1_800, in 5..=43_200;
    OnDemandFeeBps: on_demand_fee_bps = 1_000, in 0..=MAX_FEE_BPS as u64;
    ReservedFeeBps: reserved_fee_bps = 1_000, in 0..=MAX_FEE_BPS as u64;
    SpotFeeBps: spot_fee_bps = 250, in 0..=MAX_FEE_BPS as u64;
    ReservedDiscountBps: reserved_discount_bps = 1_000, in 0..=5_000;
    HoldbackBps: holdback_bps = 1_000, in 0..=5_000;
    FeeBurnBps: fee_burn_bps = 2_000, in 0..=BPS;
    FeeStakersBps: fee_stakers_bps = 5_000, in 0..=BPS;
    SpotGrace: spot_grace = 90, in 30..=3_600, testing 1..=3_600;
    SpotIncrementBps: spot_increment_bps = 500, in 1..=5_000;
    PriorityWindow: priority_window = 30, in 0..=3_600;
    PriorityStake: priority_stake = 100_000, in 0..=u64::MAX;
    QuotaBase: quota_base = 20, in 1..=10_000;
    QuotaRegionBase: quota_region_base = 10, in 1..=MAX_REGION_RENTALS as u64;
    QuotaStakeStep: quota_stake_step = 10_000, in 0..=u64::MAX;
    QuotaSpendStep: quota_spend_step = 500 * USD, in 0..=u64::MAX;
    MfpPerPoint: mfp_per_point = 1_000, in 0..=u64::MAX;
    MfpUnlockDelay: mfp_unlock_delay = 604_800, in 3_600..=604_800, testing 5..=2_592_000;
    MinRatedSeconds: min_rated_seconds = 600, in 1..=86_400;
    ReputationInterval: reputation_interval = 86_400, in 5..=604_800;
    EpochSeconds: epoch_seconds = 86_400, in 3_600..=604_800, testing 5..=2_592_000;
    ProposalStake: proposal_stake = 100_000, in 0..=u64::MAX;
    VotingPeriod: voting_period = 259_200, in 86_400..=2_592_000, testing 5..=2_592_000;
    Timelock: timelock = 86_400, in 86_400..=2_592_000, testing 0..=2_592_000;
    QuorumBps: quorum_bps = 1_000, in 500..=4_000, testing 1..=BPS;
    ThresholdBps: threshold_bps = 6_000, in BPS / 2..=8_000, testing BPS / 2..=BPS;
    ChargeWindow: charge_window = 86_400, in 5..=2_592_000;
    HoldbackWindow: holdback_window = 86_400, in 0..=MAX_DURATION as u64;
    MinChargeSeconds: min_charge_seconds = 60, in 0..=3_600;
    ProvisionPromise: provision_promise = 120, in 0..=3_600;
    ExtendToleranceBps: extend_tolerance_bps = 1_000, in 0..=5_000;
    PostStepBps: post_step_bps = 500, in 1..=5_000;
    MinPostInterval: min_post_interval = 60, in 30..=3_600, testing 0..=3_600;
    AnswerWindow: answer_window = 60, in 30..=3_600, testing 1..=3_600;
    AnswerSlots: answer_slots = 150, in 75..=9_000, testing 1..=9_000;
    FinishWindow: finish_window = 86_400, in 60..=604_800;
    ReputationPriorUsd: reputation_prior_usd = 1_000 * USD, in USD..=1_000_000 * USD;
    CriticalTimelock: critical_timelock = 691_200, in 691_200..=2_592_000, testing 0..=2_592_000;
    CriticalQuorumBps: critical_quorum_bps = 3_000, in 3_000..=6_000, testing 1..=BPS;
    CriticalThresholdBps: critical_threshold_bps = 6_667, in 6_667..=9_000, testing BPS / 2..=BPS;
    SubsidyMaxHours: subsidy_max_hours = 24, in 1..=3_000;
    SubsidyDailyBps: subsidy_daily_bps = 1_000, in 1..=1_000, testing 1..=BPS;
}

/// A marked host can answer, and the longest answer fits its window.
const _: () = {
    let slots = MarketParameter::AnswerSlots.bounds(false);
    let window = MarketParameter::AnswerWindow.bounds(false);
    assert!(*slots.start() * FASTEST_SLOT_MS >= LEAST_ANSWER_MS);
    assert!(*slots.start() * SLOWEST_SLOT_MS <= *window.start() * 1_000);
    assert!(*slots.end() * SLOWEST_SLOT_MS <= *window.end() * 1_000);
};

/// Whoever disagrees with an upgrade or a payment has left before it is done, whatever else a vote changes meanwhile.
const _: () = {
    let wait = *MarketParameter::CriticalTimelock.bounds(false).start();
    assert!(wait > *MarketParameter::EpochSeconds.bounds(false).end());
    assert!(wait > *MarketParameter::MfpUnlockDelay.bounds(false).end());
};

impl MarketParameter {
    /// True if it is an amount of market tokens: in base units, but for its default, which is in whole tokens.
    fn is_token_amount(self) -> bool {
        matches!(self, Self::PriorityStake | Self::QuotaStakeStep | Self::MfpPerPoint | Self::ProposalStake)
    }
}

impl Market {
    /// Sets one parameter; gives the old value.
    pub fn set(&mut self, parameter: MarketParameter, value: u64) -> Result<u64> {
        let old = self.replace(parameter, value)?;
        self.invariant()?;
        Ok(old)
    }

    /// Sets all parameters as a market opens with them; `unit` is a whole market token.
    pub fn set_defaults(&mut self, unit: u64) -> Result<()> {
        for parameter in MarketParameter::ALL {
            let unit = if parameter.is_token_amount() { unit } else { 1 };
            self.replace(*parameter, parameter.default().saturating_mul(unit))?;
        }
        self.invariant()
    }

    /// Checks what no change of parameters may break: the bounds of each, and those between them.
    pub fn invariant(&self) -> Result<()> {
        let shares = u64::from(self.fee_burn_bps).saturating_add(self.fee_stakers_bps.into());
        // Else a mark would be void before its slots are over, and prove nothing.
        let slots_ms = u64::from(self.answer_slots).saturating_mul(SLOWEST_SLOT_MS);
        let window_ms = u64::from(self.answer_window).saturating_mul(1_000);
        let agree = self.min_duration <= self.max_duration
            && u32::from(self.min_charge_seconds) <= self.min_duration
            && shares <= BPS
            && self.spot_fee_bps <= self.on_demand_fee_bps
            && slots_ms <= window_ms;
        require!(self.is_within_bounds() && agree, MarketError::ParameterOutOfBounds);
        Ok(())
    }
}

fn replace<T: TryFrom<u64> + Into<u64>>(field: &mut T, value: u64) -> Result<u64> {
    let value = T::try_from(value).map_err(|_| MarketError::ParameterOutOfBounds)?;
    Ok(core::mem::replace(field, value).into())
}

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    fn market(testing: bool) -> Market {
        let mut market: Market = anchor_lang::bytemuck::Zeroable::zeroed();
        market.testing = testing.into();
        market.set_defaults(1_000_000).unwrap();
        market
    }

    #[test]
    fn set__slots_of_an_answer__are_over_with_its_seconds() {
        let mut market = market(false);
        assert!(market.set(MarketParameter::AnswerSlots, 151).is_err());
        assert!(market.set(MarketParameter::AnswerWindow, 59).is_err());
        market.set(MarketParameter::AnswerWindow, 61).unwrap();
        market.set(MarketParameter::AnswerSlots, 152).unwrap();
        assert!(market.set(MarketParameter::AnswerSlots, 153).is_err());
    }

    #[test]
    fn set__each_parameter_at_its_bounds__takes_both_and_refuses_one_beyond() {
        for (parameter, testing) in MarketParameter::ALL.iter().flat_map(|each| [(each, false), (each, true)]) {
            let mut market = market(testing);
            for (parameter, value) in [
                (MarketParameter::MinDuration, 3_600),
                (MarketParameter::FeeBurnBps, 0),
                (MarketParameter::FeeStakersBps, 0),
                (MarketParameter::OnDemandFeeBps, MAX_FEE_BPS.into()),
                (MarketParameter::SpotFeeBps, 0),
                (MarketParameter::MinChargeSeconds, 0),
                (MarketParameter::AnswerSlots, MarketParameter::AnswerSlots.bounds(testing).into_inner().0),
                (MarketParameter::AnswerWindow, 3_600),
            ] {
                market.set(parameter, value).unwrap();
            }
            let (min, max) = parameter.bounds(testing).into_inner();
            market.set(*parameter, max).unwrap();
            assert_eq!(market.set(*parameter, min), Ok(max), "{parameter:?}");
            let mut refuses = |value| market.set(*parameter, value).is_err();
            assert!(max == u64::MAX || refuses(max.saturating_add(1)), "{parameter:?}");
            assert!(min == 0 || refuses(min.saturating_sub(1)), "{parameter:?}");
        }
    }

    #[test]
    fn set__fee_on_spot_above_the_one_on_demand__is_refused() {
        let mut market = market(false);
        assert!(market.set(MarketParameter::OnDemandFeeBps, 249).is_err());
        market.set(MarketParameter::OnDemandFeeBps, 250).unwrap();
        assert!(market.set(MarketParameter::SpotFeeBps, 251).is_err());
        market.set(MarketParameter::SpotFeeBps, 249).unwrap();
        market.set(MarketParameter::OnDemandFeeBps, 249).unwrap();
    }

    #[test]
    fn set__shares_that_exceed_the_whole__are_refused() {
        let mut market = market(false);
        market.set(MarketParameter::FeeBurnBps, 4_000).unwrap();
        market.set(MarketParameter::FeeStakersBps, 6_000).unwrap();
        assert!(market.set(MarketParameter::FeeStakersBps, 6_001).is_err());
    }

    #[test]
    fn set_defaults__token_amounts__are_in_base_units() {
        let market = market(false);
        assert_eq!((market.proposal_stake, market.quota_base), (100_000_000_000, 20));
    }
}
