"""Configuration of a local market: parameters, payment mints, prices and initial balances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.generated.constants import PICO_PER_MICRO, USD
from anchor_client.generated.types.market_parameter import MarketParameter

PICO_USD = PICO_PER_MICRO * USD
"""Pico-USD in a dollar: token prices are pico-USD per whole token."""


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """Configuration of a payment mint; amounts in whole tokens, prices in pico-USD per whole token."""

    symbol: str
    decimals: int
    price: int
    pinned: bool
    max_age: int = 3_600
    subsidy_bps: int = 0
    burn_bps: int = 0
    extra_fee_bps: int = 0
    shards: int = 4
    renter_tokens: int = 0
    authority_tokens: int = 0
    subsidy_tokens_per_shard: int = 0


MARKET_TOKEN = TokenTerms(
    "GPUM",
    decimals=6,
    price=PICO_USD // 20,
    pinned=False,
    subsidy_bps=8_500,
    burn_bps=2_000,
    renter_tokens=1_000_000,
    authority_tokens=800_000_000,
    subsidy_tokens_per_shard=25_000_000,
)
USDC = TokenTerms("USDC", decimals=6, price=PICO_USD, pinned=True, extra_fee_bps=500, renter_tokens=100_000)
SOL = TokenTerms("SOL", decimals=9, price=150 * PICO_USD, pinned=False, extra_fee_bps=500)


@dataclass(frozen=True, slots=True)
class LocalTerms:
    """Parameters in the program's units, and lamports that wallets start with."""

    testing: bool = True
    """True where the market opens as one for tests, with short times."""
    parameters: Mapping[MarketParameter, int] = field(
        default_factory=lambda: {
            MarketParameter.ORDER_MIN_USD: USD,
            MarketParameter.MIN_DURATION: 60,
            MarketParameter.OFFLINE_AFTER: 900,
            MarketParameter.ANSWER_SLOTS: 1,
            MarketParameter.ANSWER_WINDOW: 10,
            MarketParameter.PROVISION_TIMEOUT: 300,
            MarketParameter.PRIORITY_WINDOW: 0,
            MarketParameter.MIN_RATED_SECONDS: 1,
            MarketParameter.REPUTATION_PRIOR_USD: 10 * USD,
            MarketParameter.CHARGE_WINDOW: 60,
            MarketParameter.EPOCH_SECONDS: 60,
        }
    )
    market_token: TokenTerms = MARKET_TOKEN
    usdc: TokenTerms = USDC
    sol: TokenTerms = SOL
    host_subsidy_tokens: int = 250_000
    """Market tokens of subsidy that one host's machines may draw in a day: all of them, rented all day, take less."""
    treasury_lamports: int = 100_000 * LAMPORTS_PER_SOL
    renter_lamports: int = 1_000 * LAMPORTS_PER_SOL
    operator_lamports: int = 100 * LAMPORTS_PER_SOL
    """For each host, the oracle and the keeper."""


LOCALNET_TERMS = LocalTerms()
