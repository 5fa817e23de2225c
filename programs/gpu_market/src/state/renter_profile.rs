use crate::*;

/// A wallet that rents, at seeds `"renter", wallet`: its next nonce and what quotas scale with.
#[account]
pub struct RenterProfile {
    pub version: u8,
    pub bump: u8,
    /// Canonical bump of the wallet's stake account, whether there is one or not.
    pub stake_bump: u8,
    pub reserved_flags: [u8; 5],
    pub wallet: Address,
    pub next_nonce: u64,
    /// Micro-USD that the wallet has paid itself for machine time, over all ended rentals.
    pub spent_usd: u64,
    pub active_rentals: u32,
    pub completed_rentals: u32,
    /// Rentals at a time in each region.
    pub region_rentals: [u8; MAX_REGIONS as usize],
}

const _: () = assert!(size_of::<RenterProfile>() == 128);

impl RenterProfile {
    /// Takes the next nonce, which must be `nonce`.
    pub fn use_nonce(&mut self, nonce: u64) -> Result<()> {
        require!(self.next_nonce == nonce, MarketError::NonceMismatch);
        self.next_nonce = math::add(nonce, 1)?;
        Ok(())
    }

    /// Counts one more rental in `region`, within the quotas that stake and spend so far give.
    pub fn begin_rental(&mut self, market: &Market, region: u16, stake: u64) -> Result<()> {
        let earned = self.earned_quota(market, stake);
        let quota = u64::from(market.quota_base).saturating_add(earned);
        require!(u64::from(self.active_rentals) < quota, MarketError::QuotaExceeded);
        let in_region = self.region_rentals.get_mut(usize::from(region)).ok_or(MarketError::InvalidListingSpec)?;
        let quota = u64::from(market.quota_region_base).saturating_add(earned).min(MAX_REGION_RENTALS.into());
        require!(u64::from(*in_region) < quota, MarketError::RegionQuotaExceeded);
        *in_region = in_region.saturating_add(1);
        self.active_rentals = self.active_rentals.saturating_add(1);
        Ok(())
    }

    /// Rentals at a time beyond the base: one for every step of active stake and one for every step of lifetime spend.
    pub fn earned_quota(&self, market: &Market, stake: u64) -> u64 {
        let by_stake = stake.checked_div(market.quota_stake_step).unwrap_or(0);
        let by_spend = self.spent_usd.checked_div(market.quota_spend_step).unwrap_or(0);
        by_stake.saturating_add(by_spend)
    }

    pub fn finish_rental(&mut self, region: u16, paid_usd: u64, completed: bool) {
        self.active_rentals = self.active_rentals.saturating_sub(1);
        if let Some(in_region) = self.region_rentals.get_mut(usize::from(region)) {
            *in_region = in_region.saturating_sub(1);
        }
        self.spent_usd = self.spent_usd.saturating_add(paid_usd);
        self.completed_rentals = self.completed_rentals.saturating_add(completed.into());
    }
}
