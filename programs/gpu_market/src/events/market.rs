use crate::*;

#[event]
pub struct MarketInitialized {
    pub market: Address,
    pub authority: Address,
    pub guardian: Address,
    pub market_mint: Address,
    pub treasury: Address,
    /// True if it is a market for tests, whose parameters have wider bounds; for ever.
    pub testing: bool,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct MarketUpdated {
    pub market: Address,
    pub parameter: MarketParameter,
    pub old: u64,
    pub new: u64,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct MarketKeyUpdated {
    pub market: Address,
    pub key: MarketKey,
    pub old: Address,
    pub new: Address,
    pub at: i64,
    pub seq: u64,
}

/// `until` is when the guardian's pause expires; zero where the authority has paused, or nobody.
#[event]
pub struct PauseChanged {
    pub market: Address,
    pub area: PauseArea,
    pub old: bool,
    pub new: bool,
    pub until: i64,
    pub by: Address,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct PaymentMintAdded {
    pub payment_mint: Address,
    pub mint: Address,
    pub decimals: u8,
    pub terms: PaymentMintTerms,
    pub at: i64,
    pub seq: u64,
    /// True if the mint's issuer may freeze the vaults and payees' accounts.
    pub freezable: bool,
    /// True if the mint's issuer may mint more.
    pub mintable: bool,
    /// Base units of the mint that there are.
    pub supply: u64,
}

#[event]
pub struct PaymentMintUpdated {
    pub payment_mint: Address,
    pub old: PaymentMintTerms,
    pub new: PaymentMintTerms,
    pub at: i64,
    pub seq: u64,
}

/// Prices are pico-USD per whole token.
#[event]
pub struct PricePosted {
    pub payment_mint: Address,
    pub mint: Address,
    pub old: u64,
    pub new: u64,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct VaultAdded {
    pub vault: Address,
    pub mint: Address,
    pub shard: u8,
    pub token_account: Address,
    pub at: i64,
    pub seq: u64,
}

#[event]
pub struct SubsidyFunded {
    pub vault: Address,
    pub mint: Address,
    pub by: Address,
    pub amount: u64,
    pub old: u64,
    pub new: u64,
    pub at: i64,
    pub vault_seq: u64,
}

#[event]
pub struct FeesSwept {
    pub vault: Address,
    pub mint: Address,
    pub burned: u64,
    /// The treasury's part of these fees.
    pub treasury_share: u64,
    /// Payment of the treasury: its part and all that had waited, or nothing where it could take nothing.
    pub treasury: u64,
    pub stakers: u64,
    pub by: Address,
    pub at: i64,
    pub vault_seq: u64,
}

/// Tokens owed to nobody went to the authority `by`: of the subsidy pool, and of what had been sent to the vault directly.
#[event]
pub struct UnreservedWithdrawn {
    pub vault: Address,
    pub mint: Address,
    pub subsidy: u64,
    pub surplus: u64,
    pub by: Address,
    pub at: i64,
    pub vault_seq: u64,
}

/// Lamports of an account beyond its rent went to whose account it is.
#[event]
pub struct RentSwept {
    pub account: Address,
    pub owner: Address,
    pub lamports: u64,
    pub at: i64,
}
