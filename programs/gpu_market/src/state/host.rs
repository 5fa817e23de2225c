use crate::errors::MarketError;
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
    pub reserved: [u8; 128],
}

const _: () = assert!(size_of::<Host>() == 240);

impl Host {
    pub fn require_authority(&self, signer: &Address) -> Result<()> {
        require!(address_eq(&self.authority, signer), MarketError::WrongHost);
        Ok(())
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}
