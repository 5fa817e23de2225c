use crate::*;

/// The market's one configuration account, at seeds `"market"`.
#[account]
pub struct Market {
    pub version: u8,
    pub bump: u8,
    /// One bit an area, see [`PauseArea`].
    pub paused: u8,
    pub market_decimals: u8,
    pub reserved_flags: [u8; 4],
    /// May change parameters, mints and hosts.
    pub authority: Address,
    /// May pause and nothing else.
    pub guardian: Address,
    pub market_mint: Address,
    /// Wallet whose token accounts take the treasury's share of fees.
    pub treasury: Address,
    pub seq: u64,
    pub order_min_usd: u64,
    pub tip_lamports: u32,
    pub min_duration: u32,
    pub max_duration: u32,
    pub provision_timeout: u16,
    pub offline_after: u16,
    pub on_demand_fee_bps: u16,
    pub reserved_fee_bps: u16,
    pub spot_fee_bps: u16,
    pub reserved_discount_bps: u16,
    pub holdback_bps: u16,
    /// Share of fees in the market token that is burned.
    pub fee_burn_bps: u16,
    /// Share of fees that waits for the stakers' reward stream.
    pub fee_stakers_bps: u16,
    /// Seconds that a spot holder keeps the machine after a challenger came.
    pub spot_grace: u16,
    /// Number of the next proposal.
    pub next_proposal: u64,
    /// Active stake, in base units, that opens a priority window.
    pub priority_stake: u64,
    /// Active stake, in base units, for one more rental at a time; zero gives none.
    pub quota_stake_step: u64,
    /// Lifetime spend, in micro-USD, for one more rental at a time; zero gives none.
    pub quota_spend_step: u64,
    /// Market tokens, in base units, that a host locks per GPU point to pay no extra fee.
    pub mfp_per_point: u64,
    /// Active stake, in base units, that may make a proposal.
    pub proposal_stake: u64,
    pub epoch_seconds: u32,
    pub mfp_unlock_delay: u32,
    pub voting_period: u32,
    pub timelock: u32,
    /// Seconds in which a renter may dispute reported usage.
    pub charge_window: u32,
    /// Seconds that a rental must have run to be rated.
    pub min_rated_seconds: u32,
    /// Seconds between two scores of one host.
    pub reputation_interval: u32,
    /// How much a bid must be above the one it beats.
    pub spot_increment_bps: u16,
    /// Seconds after a machine falls idle in which only stakers take it.
    pub priority_window: u16,
    /// Rentals at a time of a wallet without stake and history.
    pub quota_base: u16,
    /// The same within one region.
    pub quota_region_base: u16,
    /// Share of the active stake that must vote.
    pub quorum_bps: u16,
    /// Share of the votes that must be in favour.
    pub threshold_bps: u16,
    /// Seconds of use, up to the latest, whose holdback is at risk.
    pub holdback_window: u32,
    /// Least seconds that a renter pays for once their rental has started.
    pub min_charge_seconds: u16,
    /// Seconds after an order in which a host that has not started is still paid for preparing.
    pub provision_promise: u16,
    /// Seconds and slots that a marked host has to be heard from.
    pub answer_window: u16,
    pub answer_slots: u16,
    pub reserved: [u8; 128],
    pub reserved_middle: [u8; 20],
    /// How far a rental's rates may be from those of today for it to be extended.
    pub extend_tolerance_bps: u16,
    /// How far one post may move a price.
    pub post_step_bps: u16,
    /// Seconds after a post in which the next may not move the price.
    pub min_post_interval: u16,
    pub reserved_end: [u8; 2],
    /// Seconds in which a renter may contest that their command has ended.
    pub finish_window: u32,
    pub reserved_tail: [u8; 4],
}

const _: () = assert!(size_of::<Market>() == 448);

/// What `set_paused` stops: new orders, new supply or new prices. Money always finds its way back to its owners.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum PauseArea {
    Orders,
    Hosts,
    Prices,
}

/// A numeric market parameter; its bounds are in [`MarketParameter::bounds`].
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum MarketParameter {
    OrderMinUsd,
    TipLamports,
    MinDuration,
    MaxDuration,
    ProvisionTimeout,
    OfflineAfter,
    OnDemandFeeBps,
    ReservedFeeBps,
    SpotFeeBps,
    ReservedDiscountBps,
    HoldbackBps,
    FeeBurnBps,
    FeeStakersBps,
    SpotGrace,
    SpotIncrementBps,
    PriorityWindow,
    PriorityStake,
    QuotaBase,
    QuotaRegionBase,
    QuotaStakeStep,
    QuotaSpendStep,
    MfpPerPoint,
    MfpUnlockDelay,
    MinRatedSeconds,
    ReputationInterval,
    EpochSeconds,
    ProposalStake,
    VotingPeriod,
    Timelock,
    QuorumBps,
    ThresholdBps,
    ChargeWindow,
    HoldbackWindow,
    MinChargeSeconds,
    ProvisionPromise,
    ExtendToleranceBps,
    PostStepBps,
    MinPostInterval,
    AnswerWindow,
    AnswerSlots,
    FinishWindow,
}

/// A key of the market that its authority may replace.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum MarketKey {
    Guardian,
    Treasury,
}

impl MarketParameter {
    /// Smallest and largest value, both allowed.
    pub const fn bounds(self) -> (u64, u64) {
        match self {
            Self::OrderMinUsd => (0, 1_000 * USD),
            Self::TipLamports => (0, 100_000_000),
            Self::MinDuration => (5, 86_400),
            Self::MaxDuration => (3_600, MAX_DURATION as u64),
            Self::ProvisionTimeout => (5, 43_200),
            Self::OfflineAfter => (5, 43_200),
            Self::OnDemandFeeBps | Self::ReservedFeeBps | Self::SpotFeeBps => (0, MAX_FEE_BPS as u64),
            Self::ReservedDiscountBps => (0, 5_000),
            Self::HoldbackBps => (0, 5_000),
            Self::FeeBurnBps | Self::FeeStakersBps => (0, BPS),
            Self::SpotGrace => (1, 3_600),
            Self::SpotIncrementBps => (1, 5_000),
            Self::PriorityWindow => (0, 3_600),
            Self::PriorityStake | Self::QuotaStakeStep | Self::QuotaSpendStep => (0, u64::MAX),
            Self::QuotaBase => (1, 10_000),
            Self::QuotaRegionBase => (1, MAX_REGION_RENTALS as u64),
            Self::MfpPerPoint | Self::ProposalStake => (0, u64::MAX),
            Self::MfpUnlockDelay => (5, 2_592_000),
            Self::MinRatedSeconds => (1, 86_400),
            Self::ReputationInterval => (5, 604_800),
            Self::EpochSeconds => (5, 2_592_000),
            Self::VotingPeriod => (5, 2_592_000),
            Self::Timelock => (0, 2_592_000),
            Self::QuorumBps => (1, BPS),
            Self::ThresholdBps => (BPS / 2, BPS),
            Self::ChargeWindow => (5, 2_592_000),
            Self::HoldbackWindow => (0, MAX_DURATION as u64),
            Self::MinChargeSeconds | Self::ProvisionPromise => (0, 3_600),
            Self::ExtendToleranceBps => (0, 5_000),
            Self::PostStepBps => (1, 5_000),
            Self::MinPostInterval => (0, 3_600),
            Self::AnswerWindow => (1, 3_600),
            Self::AnswerSlots => (1, 18_000),
            Self::FinishWindow => (60, 604_800),
        }
    }
}

impl Market {
    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::Unauthorized);
        Ok(())
    }

    pub fn require_running(&self, area: PauseArea) -> Result<()> {
        require!(self.paused & area.bit() == 0, MarketError::Paused);
        Ok(())
    }

    /// Sets one parameter within its bounds; gives the old value.
    pub fn set(&mut self, parameter: MarketParameter, value: u64) -> Result<u64> {
        let (min, max) = parameter.bounds();
        require!(min <= value && value <= max, MarketError::ParameterOutOfBounds);
        let old = match parameter {
            MarketParameter::OrderMinUsd => core::mem::replace(&mut self.order_min_usd, value),
            MarketParameter::TipLamports => replace(&mut self.tip_lamports, value)?,
            MarketParameter::MinDuration => replace(&mut self.min_duration, value)?,
            MarketParameter::MaxDuration => replace(&mut self.max_duration, value)?,
            MarketParameter::ProvisionTimeout => replace(&mut self.provision_timeout, value)?,
            MarketParameter::OfflineAfter => replace(&mut self.offline_after, value)?,
            MarketParameter::OnDemandFeeBps => replace(&mut self.on_demand_fee_bps, value)?,
            MarketParameter::ReservedFeeBps => replace(&mut self.reserved_fee_bps, value)?,
            MarketParameter::SpotFeeBps => replace(&mut self.spot_fee_bps, value)?,
            MarketParameter::ReservedDiscountBps => replace(&mut self.reserved_discount_bps, value)?,
            MarketParameter::HoldbackBps => replace(&mut self.holdback_bps, value)?,
            MarketParameter::FeeBurnBps => replace(&mut self.fee_burn_bps, value)?,
            MarketParameter::FeeStakersBps => replace(&mut self.fee_stakers_bps, value)?,
            MarketParameter::SpotGrace => replace(&mut self.spot_grace, value)?,
            MarketParameter::SpotIncrementBps => replace(&mut self.spot_increment_bps, value)?,
            MarketParameter::PriorityWindow => replace(&mut self.priority_window, value)?,
            MarketParameter::PriorityStake => core::mem::replace(&mut self.priority_stake, value),
            MarketParameter::QuotaBase => replace(&mut self.quota_base, value)?,
            MarketParameter::QuotaRegionBase => replace(&mut self.quota_region_base, value)?,
            MarketParameter::QuotaStakeStep => core::mem::replace(&mut self.quota_stake_step, value),
            MarketParameter::QuotaSpendStep => core::mem::replace(&mut self.quota_spend_step, value),
            MarketParameter::MfpPerPoint => core::mem::replace(&mut self.mfp_per_point, value),
            MarketParameter::MfpUnlockDelay => replace(&mut self.mfp_unlock_delay, value)?,
            MarketParameter::MinRatedSeconds => replace(&mut self.min_rated_seconds, value)?,
            MarketParameter::ReputationInterval => replace(&mut self.reputation_interval, value)?,
            MarketParameter::EpochSeconds => replace(&mut self.epoch_seconds, value)?,
            MarketParameter::ProposalStake => core::mem::replace(&mut self.proposal_stake, value),
            MarketParameter::VotingPeriod => replace(&mut self.voting_period, value)?,
            MarketParameter::Timelock => replace(&mut self.timelock, value)?,
            MarketParameter::QuorumBps => replace(&mut self.quorum_bps, value)?,
            MarketParameter::ThresholdBps => replace(&mut self.threshold_bps, value)?,
            MarketParameter::ChargeWindow => replace(&mut self.charge_window, value)?,
            MarketParameter::HoldbackWindow => replace(&mut self.holdback_window, value)?,
            MarketParameter::MinChargeSeconds => replace(&mut self.min_charge_seconds, value)?,
            MarketParameter::ProvisionPromise => replace(&mut self.provision_promise, value)?,
            MarketParameter::ExtendToleranceBps => replace(&mut self.extend_tolerance_bps, value)?,
            MarketParameter::PostStepBps => replace(&mut self.post_step_bps, value)?,
            MarketParameter::MinPostInterval => replace(&mut self.min_post_interval, value)?,
            MarketParameter::AnswerWindow => replace(&mut self.answer_window, value)?,
            MarketParameter::AnswerSlots => replace(&mut self.answer_slots, value)?,
            MarketParameter::FinishWindow => replace(&mut self.finish_window, value)?,
        };
        self.invariant()?;
        Ok(old)
    }

    /// What no change of parameters may break.
    pub fn invariant(&self) -> Result<()> {
        require!(self.min_duration <= self.max_duration, MarketError::ParameterOutOfBounds);
        require!(u32::from(self.min_charge_seconds) <= self.min_duration, MarketError::ParameterOutOfBounds);
        let shares = u64::from(self.fee_burn_bps).saturating_add(u64::from(self.fee_stakers_bps));
        require!(shares <= BPS, MarketError::ParameterOutOfBounds);
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}

impl PauseArea {
    pub const fn bit(self) -> u8 {
        match self {
            Self::Orders => 1,
            Self::Hosts => 2,
            Self::Prices => 4,
        }
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

    #[test]
    fn set__each_parameter_at_its_bounds__takes_both_and_refuses_one_beyond() {
        use MarketParameter::*;
        for parameter in [
            OrderMinUsd,
            TipLamports,
            MinDuration,
            MaxDuration,
            ProvisionTimeout,
            OfflineAfter,
            OnDemandFeeBps,
            ReservedFeeBps,
            SpotFeeBps,
            ReservedDiscountBps,
            HoldbackBps,
            FeeBurnBps,
            FeeStakersBps,
            SpotGrace,
            SpotIncrementBps,
            PriorityWindow,
            PriorityStake,
            QuotaBase,
            QuotaRegionBase,
            QuotaStakeStep,
            QuotaSpendStep,
            MfpPerPoint,
            MfpUnlockDelay,
            MinRatedSeconds,
            ReputationInterval,
            EpochSeconds,
            ProposalStake,
            VotingPeriod,
            Timelock,
            QuorumBps,
            ThresholdBps,
            ChargeWindow,
            HoldbackWindow,
            MinChargeSeconds,
            ProvisionPromise,
            ExtendToleranceBps,
            PostStepBps,
            MinPostInterval,
            AnswerWindow,
            AnswerSlots,
            FinishWindow,
        ] {
            let mut market: Market = anchor_lang::bytemuck::Zeroable::zeroed();
            market.max_duration = MAX_DURATION;
            market.min_duration = 3_600;
            let (min, max) = parameter.bounds();
            market.set(parameter, max).unwrap();
            assert_eq!(market.set(parameter, min).unwrap(), max);
            assert!(max == u64::MAX || market.set(parameter, max.saturating_add(1)).is_err());
            assert!(min == 0 || market.set(parameter, min.saturating_sub(1)).is_err());
        }
    }

    #[test]
    fn set__shares_that_exceed_the_whole__are_refused() {
        let mut market: Market = anchor_lang::bytemuck::Zeroable::zeroed();
        market.max_duration = MAX_DURATION;
        market.set(MarketParameter::FeeBurnBps, 4_000).unwrap();
        market.set(MarketParameter::FeeStakersBps, 6_000).unwrap();
        assert!(market.set(MarketParameter::FeeStakersBps, 6_001).is_err());
    }
}
