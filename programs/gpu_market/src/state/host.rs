use crate::errors::MarketError;
use crate::math;
use anchor_lang::address_eq;
use anchor_lang::prelude::*;

/// Someone who offers machines, at seeds `"host", authority`.
#[account]
pub struct Host {
    pub version: u8,
    pub bump: u8,
    pub approved: u8,
    pub reserved_flags: [u8; 5],
    pub authority: Address,
    /// X25519 public key that orders are sealed to.
    pub seal_key: [u8; 32],
    pub seq: u64,
    pub registered_at: i64,
    /// Seconds watched and seconds up, summed over the listings.
    pub tracked_seconds: u64,
    pub up_seconds: u64,
    pub next_listing: u32,
    pub open_listings: u32,
    /// Market tokens locked for lower extra fees, in base units.
    pub mfp_locked: u64,
    /// Market tokens on their way out of the lock; they count for nothing.
    pub mfp_unlocking: u64,
    /// When the tokens on their way out may leave.
    pub mfp_unlock_at: i64,
    /// Ratings × weight and weights (micro-USD of use when rated), of all that has been counted.
    pub rating_sum: u64,
    pub rating_weight: u64,
    /// When the score was last set; zero before the first time.
    pub scored_at: i64,
    /// Rentals that ended well, and those that failed by the host's fault, of all that has been counted.
    pub completed: u32,
    pub failed: u32,
    /// GPU points of the open listings.
    pub points: u32,
    /// Reputation in basis points.
    pub score: u16,
    pub reserved: [u8; 64],
    pub reserved_tail: [u8; 2],
}

const _: () = assert!(size_of::<Host>() == 240);

impl Host {
    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::WrongHost);
        Ok(())
    }

    /// The extra fee that the host pays on orders in other mints, in basis points, rounded up: it falls linearly with
    /// the lock and is nothing once every GPU point is covered. Without points there is nothing to lock for.
    pub fn extra_fee_bps_ceil(&self, extra_fee_bps: u16, mfp_per_point: u64) -> Result<u16> {
        let required = u64::from(self.points).saturating_mul(mfp_per_point);
        if extra_fee_bps == 0 || self.points == 0 {
            return Ok(extra_fee_bps);
        }
        let missing = required.saturating_sub(self.mfp_locked);
        if missing == 0 {
            return Ok(0);
        }
        let bps = math::mul_div_ceil(extra_fee_bps.into(), missing, required)?;
        u16::try_from(bps).map_err(|_| MarketError::MathOverflow.into())
    }

    /// Market tokens come into the lock and count at once.
    pub fn lock_mfp(&mut self, amount: u64) -> Result<()> {
        self.mfp_locked = math::add(self.mfp_locked, amount)?;
        Ok(())
    }

    /// Locked tokens stop counting at once and may leave after `delay` seconds, with all that are on their way out.
    pub fn unlock_mfp(&mut self, amount: u64, delay: u32, now: i64) -> Result<()> {
        require!(amount <= self.mfp_locked, MarketError::InsufficientLock);
        self.mfp_locked = math::sub(self.mfp_locked, amount)?;
        self.mfp_unlocking = math::add(self.mfp_unlocking, amount)?;
        self.mfp_unlock_at = now.checked_add(delay.into()).ok_or(MarketError::MathOverflow)?;
        Ok(())
    }

    /// All tokens on their way out leave; gives them.
    pub fn withdraw_mfp(&mut self, now: i64) -> Result<u64> {
        require!(self.mfp_unlocking > 0, MarketError::NothingToWithdraw);
        require!(now >= self.mfp_unlock_at, MarketError::LockNotOver);
        Ok(core::mem::take(&mut self.mfp_unlocking))
    }

    /// The points of one listing go from `old` to `new`.
    pub fn change_points(&mut self, old: u32, new: u32) -> Result<()> {
        let rest = self.points.checked_sub(old).ok_or(MarketError::LedgerMismatch)?;
        self.points = rest.checked_add(new).ok_or(MarketError::MathOverflow)?;
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}
