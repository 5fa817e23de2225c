use crate::*;

/// A wallet that rents, at seeds `"renter", wallet`: its next nonce and what quotas scale with. Closed and made again, it
/// begins with higher nonces, so no rental's or request's address is ever used twice.
#[account]
pub struct RenterProfile {
    pub version: u8,
    pub bump: u8,
    pub reserved_flags: [u8; 6],
    pub wallet: Address,
    /// Address of the wallet's stake account, whether there is one or not.
    pub stake: Address,
    pub next_nonce: u64,
    /// Micro-USD that the wallet has paid itself for machine time, over all ended rentals.
    pub spent_usd: u64,
    /// Of `spent_usd`, what has weighed in reports that a machine was not as listed.
    pub reported_usd: u64,
    pub active_rentals: u32,
    pub completed_rentals: u32,
    /// Rentals at a time in each region.
    pub region_rentals: [u8; MAX_REGIONS as usize],
}

const _: () = assert!(size_of::<RenterProfile>() == 168);

/// The least nonce of a profile that is made in `slot`.
const fn first_nonce(slot: u64) -> u64 {
    slot.saturating_mul(NONCES_PER_SLOT)
}

impl RenterProfile {
    /// The first nonce of a profile that is made in `slot`: beyond those of any profile that the wallet has closed.
    pub fn begin_nonces(&mut self, nonce: u64, slot: u64) -> Result<()> {
        let latest = slot.saturating_add(FIRST_NONCE_SLOTS);
        require!(first_nonce(slot) <= nonce && nonce <= first_nonce(latest), MarketError::NonceMismatch);
        self.next_nonce = nonce;
        Ok(())
    }

    /// Requires that nothing needs the profile, and that its nonces lie before those of one that would be made now.
    pub fn require_closable(&self, slot: u64) -> Result<()> {
        require!(self.active_rentals == 0, MarketError::RentalsOpen);
        require!(self.next_nonce <= first_nonce(slot), MarketError::AccountTooNew);
        Ok(())
    }

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

    /// The wallet speaks against the host of its `rental`, which weighs once per rental and `most` at most; gives the
    /// weight and the host's `seq` with it, both zero where it has none.
    pub fn report(&mut self, rental: &mut Rental, host: &mut Host, most: u64) -> Result<(u64, u64)> {
        if rental.is_not_as_listed() {
            return Ok((0, 0));
        }
        let weight = self.use_report(rental.paid_usd_floor(rental.min_charge.into())?, most);
        if weight == 0 {
            return Ok((0, 0));
        }
        rental.not_as_listed = 1;
        host.not_as_listed_usd = host.not_as_listed_usd.saturating_add(weight);
        Ok((weight, host.next_seq()))
    }

    /// Gives what a report weighs, and takes it off what later ones may: all that the wallet has paid and no report has
    /// weighed yet, at most `most`. Nothing where that is nothing or less than `least`.
    pub fn use_report(&mut self, least: u64, most: u64) -> u64 {
        let weight = self.spent_usd.saturating_sub(self.reported_usd).min(most);
        if weight < least {
            return 0;
        }
        self.reported_usd = self.reported_usd.saturating_add(weight);
        weight
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

#[cfg(test)]
#[allow(non_snake_case)]
mod tests {
    use super::*;

    #[test]
    fn begin_nonces__around_the_slot__takes_those_of_the_next_minutes() {
        let latest = 7 + FIRST_NONCE_SLOTS;
        for (nonce, works) in [
            (first_nonce(7) - 1, false),
            (first_nonce(7), true),
            (first_nonce(latest), true),
            (first_nonce(latest) + 1, false),
            (u64::MAX, false),
        ] {
            let mut profile: RenterProfile = anchor_lang::bytemuck::Zeroable::zeroed();
            assert_eq!(profile.begin_nonces(nonce, 7).is_ok(), works, "{nonce}");
        }
    }

    #[test]
    fn require_closable__nonces_that_a_new_profile_could_use__is_refused() {
        let mut profile: RenterProfile = anchor_lang::bytemuck::Zeroable::zeroed();
        for (nonce, works) in [(first_nonce(9), true), (first_nonce(9) + 1, false)] {
            profile.next_nonce = nonce;
            assert_eq!(profile.require_closable(9).is_ok(), works, "{nonce}");
        }
    }

    #[test]
    fn use_report__what_was_spent__weighs_once_between_its_bounds() {
        for (spent, reported, least, most, weight) in [
            (0, 0, 0, 9, 0),
            (9, 0, 9, 9, 9),
            (9, 0, 10, 20, 0),
            (10, 0, 9, 9, 9),
            (10, 9, 2, 9, 0),
            (10, 8, 2, 9, 2),
            (10, 10, 0, 9, 0),
            (u64::MAX, u64::MAX - 3, 1, u64::MAX, 3),
        ] {
            let mut profile: RenterProfile = anchor_lang::bytemuck::Zeroable::zeroed();
            (profile.spent_usd, profile.reported_usd) = (spent, reported);
            assert_eq!(profile.use_report(least, most), weight, "{spent} {reported} {least} {most}");
            assert_eq!(profile.reported_usd, reported + weight);
        }
    }
}
