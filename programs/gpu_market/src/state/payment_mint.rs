use crate::*;

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
    /// True if the mint had an authority when it was added that may freeze accounts: the vaults, and payees'.
    pub freezable: u8,
    pub reserved_flags: [u8; 1],
    pub mint: Address,
    /// The key that posts prices, or the id of the Pyth feed.
    pub oracle: Address,
    /// Pico-USD per whole token; zero until known.
    pub price: u64,
    pub price_at: i64,
    pub seq: u64,
    pub max_age: u32,
    pub subsidy_bps: u16,
    pub burn_bps: u16,
    pub extra_fee_bps: u16,
    /// Widest confidence interval of a Pyth price, as a share of it.
    pub max_confidence_bps: u16,
    pub reserved: [u8; 64],
    pub reserved_tail: [u8; 20],
}

const _: () = assert!(size_of::<PaymentMint>() == 192);

/// Source of a mint's price.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub enum OracleKind {
    /// Set by the market's authority; never stale.
    Pinned,
    /// Posted by the oracle key; stale after `max_age`.
    Posted,
    /// Read from a price update of Pyth's first receiver that the order brings; stale after `max_age`.
    Pyth,
    /// The same from the receiver that Pyth has since its upgrade.
    PythUpgraded,
}

impl OracleKind {
    /// Pyth's receiver whose price updates the kind reads, if it reads any: one of two constants, so that nobody can vote
    /// for a program of their own.
    pub fn receiver(self) -> Option<&'static Address> {
        match self {
            Self::Pinned | Self::Posted => None,
            Self::Pyth => Some(&pyth::PYTH_RECEIVER),
            Self::PythUpgraded => Some(&pyth::UPGRADED_PYTH_RECEIVER),
        }
    }
}

/// Decisions of the authority about a payment mint.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq)]
pub struct PaymentMintTerms {
    pub oracle_kind: OracleKind,
    pub enabled: bool,
    pub shards: u8,
    /// The posting key, or the id of the Pyth feed; ignored when pinned.
    pub oracle: Address,
    /// Pico-USD per whole token, taken when pinned; ignored otherwise.
    pub pinned_price: u64,
    /// Seconds.
    pub max_age: u32,
    pub subsidy_bps: u16,
    pub burn_bps: u16,
    pub extra_fee_bps: u16,
    /// Widest confidence interval that an order may be priced with, as a share of a Pyth price.
    pub max_confidence_bps: u16,
}

impl PaymentMint {
    pub fn terms(&self) -> PaymentMintTerms {
        let pinned = self.oracle_kind == OracleKind::Pinned as u8;
        PaymentMintTerms {
            oracle_kind: self.oracle_kind(),
            enabled: self.enabled != 0,
            shards: self.shards,
            oracle: self.oracle,
            pinned_price: if pinned { self.price } else { 0 },
            max_age: self.max_age,
            subsidy_bps: self.subsidy_bps,
            burn_bps: self.burn_bps,
            extra_fee_bps: self.extra_fee_bps,
            max_confidence_bps: self.max_confidence_bps,
        }
    }

    /// Takes new terms, bounded; another oracle starts without a price until one is given.
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
                && u64::from(terms.max_confidence_bps) <= BPS
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
            OracleKind::Posted | OracleKind::Pyth | OracleKind::PythUpgraded => {
                let names_feed = terms.max_confidence_bps > 0 && terms.oracle != Address::default();
                let bounded = terms.oracle_kind == OracleKind::Posted || names_feed;
                require!(terms.max_age > 0 && bounded, MarketError::ParameterOutOfBounds);
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
        self.max_confidence_bps = terms.max_confidence_bps;
        Ok(())
    }

    /// Takes the price that the oracle posts; gives the old one. Except for the first, it is at most `market`'s step away
    /// from the one before, and moves only once the market's interval since that has passed.
    pub fn post(&mut self, price: u64, market: &Market, now: i64) -> Result<u64> {
        require!(price > 0, MarketError::PriceMissing);
        if self.price > 0 && self.price != price {
            let waited = math::seconds_between(self.price_at, now);
            require!(waited >= market.min_post_interval.into(), MarketError::PostTooSoon);
            let step = math::share_floor(self.price, market.post_step_bps)?.max(1);
            require!(self.price.abs_diff(price) <= step, MarketError::PriceStepTooLarge);
        }
        self.price_at = now;
        Ok(core::mem::replace(&mut self.price, price))
    }

    pub fn oracle_kind(&self) -> OracleKind {
        if self.oracle_kind == OracleKind::Pinned as u8 {
            OracleKind::Pinned
        } else if self.oracle_kind == OracleKind::Posted as u8 {
            OracleKind::Posted
        } else if self.oracle_kind == OracleKind::Pyth as u8 {
            OracleKind::Pyth
        } else {
            OracleKind::PythUpgraded
        }
    }

    /// The price of an open mint, in pico-USD per whole token; refused when missing or too old. `feed` is the price
    /// update that a mint priced by Pyth needs.
    pub fn fresh_price(&self, now: i64, feed: Option<&AccountView>) -> Result<u64> {
        require!(self.enabled != 0, MarketError::MintDisabled);
        let kind = self.oracle_kind();
        if let Some(receiver) = kind.receiver() {
            let feed = feed.ok_or(MarketError::PriceFeedMissing)?;
            return pyth::fresh_price(feed, receiver, &self.oracle, self.max_age, self.max_confidence_bps, now);
        }
        require!(self.price > 0, MarketError::PriceMissing);
        let pinned = kind == OracleKind::Pinned;
        require!(pinned || math::seconds_between(self.price_at, now) <= self.max_age, MarketError::PriceStale);
        Ok(self.price)
    }

    pub fn next_seq(&mut self) -> u64 {
        self.seq = self.seq.wrapping_add(1);
        self.seq
    }
}
