use crate::*;

/// The market's one configuration account, at seeds `"market"`.
#[account]
pub struct Market {
    pub version: u8,
    pub bump: u8,
    /// One bit an area that the authority has paused, see [`PauseArea`].
    pub paused: u8,
    pub market_decimals: u8,
    /// True if it opened as a market for tests, whose parameters have wider bounds; for ever.
    pub testing: u8,
    pub reserved_flags: [u8; 3],
    /// May change parameters, mints and hosts.
    pub authority: Address,
    /// May pause for a while and veto critical proposals, and nothing else.
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
    /// Lifetime spend without subsidies, in micro-USD, for one more rental at a time; zero gives none.
    pub quota_spend_step: u64,
    /// Micro-USD that renters have paid themselves at which each part of a host's score is half its own share and half the
    /// prior.
    pub reputation_prior_usd: u64,
    /// Market tokens, in base units, that a host locks per GPU point to pay no extra fee.
    pub mfp_per_point: u64,
    /// Active stake, in base units, that may make a proposal; less where it is more than a share of all stake.
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
    /// Least distance of a bid above the one it beats.
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
    /// The timelock, quorum and threshold of critical proposals, where they are above the ordinary ones.
    pub critical_timelock: u32,
    /// Until when the guardian has paused each area; zero before the first time.
    pub guardian_paused_until: [i64; 3],
    /// Latest end of all votes that were ever opened: until then some stake may be held in place.
    pub votes_end_at: i64,
    pub critical_quorum_bps: u16,
    pub critical_threshold_bps: u16,
    pub reserved: [u8; 64],
    pub reserved_late: [u8; 24],
    pub reserved_middle: [u8; 12],
    /// Most that a rental's rates may differ from today's for it to be extended.
    pub extend_tolerance_bps: u16,
    /// Most that one post may move a price.
    pub post_step_bps: u16,
    /// Seconds after a post in which the next may not move the price.
    pub min_post_interval: u16,
    /// Hours of a rental whose whole price is subsidised: what is longer has the same sum spread over it.
    pub subsidy_max_hours: u16,
    /// Seconds in which a renter may contest that their command has ended.
    pub finish_window: u32,
    /// Share of each vault's subsidy pool that may leave it in a day.
    pub subsidy_daily_bps: u16,
    pub reserved_tail: [u8; 2],
}

const _: () = assert!(size_of::<Market>() == 448);

/// Area that `set_paused` stops: new orders, new supply or new prices. Money always finds its way back to its owners.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum PauseArea {
    Orders,
    Hosts,
    Prices,
}

/// A key of the market that its authority may replace.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum MarketKey {
    Guardian,
    Treasury,
}

impl Market {
    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::Unauthorized);
        Ok(())
    }

    pub fn is_testing(&self) -> bool {
        self.testing != 0
    }

    /// True if the authority has paused the area, or the guardian not long ago.
    pub fn is_paused(&self, area: PauseArea, now: i64) -> bool {
        self.paused & area.bit() != 0 || now < self.guardian_paused_until[area as usize]
    }

    /// When the guardian's pause of the area expires; zero where it has expired or the authority has paused.
    pub fn paused_until(&self, area: PauseArea, now: i64) -> i64 {
        let until = self.guardian_paused_until[area as usize];
        if self.paused & area.bit() == 0 && now < until {
            return until;
        }
        0
    }

    pub fn require_running(&self, area: PauseArea, now: i64) -> Result<()> {
        require!(!self.is_paused(area, now), MarketError::Paused);
        Ok(())
    }

    /// Pauses an area until the authority resumes it.
    pub fn pause(&mut self, area: PauseArea) {
        self.paused |= area.bit();
    }

    /// Pauses an area for a while, as the guardian does; not again before it has run as long.
    pub fn pause_for_a_while(&mut self, area: PauseArea, now: i64) -> Result<()> {
        let until = &mut self.guardian_paused_until[area as usize];
        require!(*until == 0 || now >= until.saturating_add(GUARDIAN_PAUSE_GAP), MarketError::PauseTooSoon);
        *until = now.saturating_add(GUARDIAN_PAUSE);
        Ok(())
    }

    /// Resumes an area, whoever paused it.
    pub fn resume(&mut self, area: PauseArea, now: i64) {
        self.paused &= !area.bit();
        let until = &mut self.guardian_paused_until[area as usize];
        *until = now.min(*until);
    }

    /// Active stake that may make a proposal where `eligible` base units may vote. It is never so much that nobody could.
    pub fn stake_to_propose(&self, eligible: u64) -> Result<u64> {
        let share = math::share_ceil(eligible, MAX_PROPOSAL_STAKE_BPS)?;
        Ok(self.proposal_stake.min(share).max(1))
    }

    /// The timelock, quorum and threshold of a proposal made now.
    pub fn voting_rules(&self, is_critical: bool) -> (u32, u16, u16) {
        if !is_critical {
            return (self.timelock, self.quorum_bps, self.threshold_bps);
        }
        (
            self.timelock.max(self.critical_timelock),
            self.quorum_bps.max(self.critical_quorum_bps),
            self.threshold_bps.max(self.critical_threshold_bps),
        )
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
