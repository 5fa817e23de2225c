use crate::math;
use anchor_lang::prelude::*;

/// A wallet that rents, at seeds `"renter", wallet`: its next nonce and what quotas scale with.
#[account]
pub struct RenterProfile {
    pub version: u8,
    pub bump: u8,
    pub reserved_flags: [u8; 6],
    pub wallet: Address,
    pub next_nonce: u64,
    /// Micro-USD of machine time used, over all ended rentals.
    pub spent_usd: u64,
    pub active_rentals: u32,
    pub completed_rentals: u32,
    pub reserved: [u8; 64],
}

const _: () = assert!(size_of::<RenterProfile>() == 128);

impl RenterProfile {
    pub fn begin_rental(&mut self) -> Result<()> {
        self.next_nonce = math::add(self.next_nonce, 1)?;
        self.active_rentals = self.active_rentals.saturating_add(1);
        Ok(())
    }

    pub fn finish_rental(&mut self, spent_usd: u64, completed: bool) {
        self.active_rentals = self.active_rentals.saturating_sub(1);
        self.spent_usd = self.spent_usd.saturating_add(spent_usd);
        self.completed_rentals = self.completed_rentals.saturating_add(completed.into());
    }
}
