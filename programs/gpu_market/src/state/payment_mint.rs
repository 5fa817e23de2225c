use crate::constants::*;
use crate::errors::MarketError;
use crate::math;
use anchor_lang::prelude::*;

/// A mint that orders may be paid in, at seeds `"mint", mint`. Rentals only read it.
#[account]
pub struct PaymentMint {
    pub version: u8,
    pub bump: u8,
    pub decimals: u8,
    /// See [`OracleKind`].
    pub oracle_kind: u8,
    pub enabled: u8,
    /// Vaults 0 .. shards - 1 exist or may be added.
    pub shards: u8,
    pub reserved_flags: [u8; 2],
    pub mint: Address,
    /// The key that posts prices, or the feed's account.
    pub oracle: Address,
    /// Pico-USD per whole token; zero until known.
    pub price: u64,
    pub price_at: i64,
    pub seq: u64,
    pub max_age: u32,
    pub subsidy_bps: u16,
    pub burn_bps: u16,
    pub extra_fee_bps: u16,
    pub reserved: [u8; 64],
    pub reserved_tail: [u8; 22],
}

const _: () = assert!(size_of::<PaymentMint>() == 192);

/// Where a mint's price comes from.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum OracleKind {
    /// Set by the market's authority; never stale.
    Pinned,
    /// Posted by the oracle key; stale after `max_age`.
    Posted,
}

/// What the authority decides about a payment mint.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct PaymentMintTerms {
    pub oracle_kind: OracleKind,
    pub enabled: bool,
    pub shards: u8,
    /// The posting key; ignored when pinned.
    pub oracle: Address,
    /// Pico-USD per whole token, taken when pinned; ignored when posted.
    pub pinned_price: u64,
    /// Seconds.
    pub max_age: u32,
    pub subsidy_bps: u16,
    pub burn_bps: u16,
    pub extra_fee_bps: u16,
}

impl PaymentMint {
    pub fn terms(&self) -> PaymentMintTerms {
        let pinned = self.oracle_kind == OracleKind::Pinned as u8;
        PaymentMintTerms {
            oracle_kind: if pinned { OracleKind::Pinned } else { OracleKind::Posted },
            enabled: self.enabled != 0,
            shards: self.shards,
            oracle: self.oracle,
            pinned_price: if pinned { self.price } else { 0 },
            max_age: self.max_age,
            subsidy_bps: self.subsidy_bps,
            burn_bps: self.burn_bps,
            extra_fee_bps: self.extra_fee_bps,
        }
    }

    /// Takes new terms, bounded; a change between pinned and posted starts without a price until one is given.
    pub fn set_terms(&mut self, terms: &PaymentMintTerms, market_mint: &Address, now: i64) -> Result<()> {
        let is_market_token = self.mint == *market_mint;
        require!(
            if is_market_token { terms.extra_fee_bps == 0 } else { terms.subsidy_bps == 0 && terms.burn_bps == 0 },
            MarketError::TermsNotForThisMint
        );
        require!(
            terms.subsidy_bps <= MAX_SUBSIDY_BPS
                && terms.burn_bps <= MAX_BURN_BPS
                && terms.extra_fee_bps <= MAX_FEE_BPS
                && terms.shards >= self.shards.max(1)
                && terms.shards <= MAX_SHARDS,
            MarketError::ParameterOutOfBounds
        );
        match terms.oracle_kind {
            OracleKind::Pinned => {
                require!(terms.pinned_price > 0, MarketError::PriceMissing);
                self.price = terms.pinned_price;
                self.price_at = now;
            }
            OracleKind::Posted => {
                require!(terms.max_age > 0, MarketError::ParameterOutOfBounds);
                if self.oracle_kind != terms.oracle_kind as u8 || self.oracle != terms.oracle {
                    self.price = 0;
                    self.price_at = 0;
                }
            }
        }
        self.oracle_kind = terms.oracle_kind as u8;
        self.oracle = terms.oracle;
        self.enabled = terms.enabled.into();
        self.shards = terms.shards;
        self.max_age = terms.max_age;
        self.subsidy_bps = terms.subsidy_bps;
        self.burn_bps = terms.burn_bps;
        self.extra_fee_bps = terms.extra_fee_bps;
        Ok(())
    }

    /// The price of an open mint, in pico-USD per whole token; refused when missing or too old.
    pub fn fresh_price(&self, now: i64) -> Result<u64> {
        require!(self.enabled != 0, MarketError::MintDisabled);
        require!(self.price > 0, MarketError::PriceMissing);
        let pinned = self.oracle_kind == OracleKind::Pinned as u8;
        require!(pinned || math::seconds_between(self.price_at, now) <= self.max_age, MarketError::PriceStale);
        Ok(self.price)
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}
