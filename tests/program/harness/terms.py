"""Listing specifications, payment mint terms and figures of the seeded market."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.types.listing_spec import ListingSpec
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.request_order import RequestOrder

from .actors import ORACLE

MINUTE: Final = 60
HOUR: Final = 3_600
DAY: Final = 86_400
RESERVED_TERMS: Final = (7 * DAY, 30 * DAY, 90 * DAY)
U64_MAX: Final = 2**64 - 1

ON_DEMAND_USD: Final = 7_380_001
"""Micro-USD per hour of the seeded listings; odd, so that every division leaves a remainder."""
GPUM_PRICE: Final = 61_300_000_007
USDC_PRICE: Final = 1_000_000_000_000
WSOL_PRICE: Final = 187_654_321_000_000
"""Pico-USD per whole token."""
PRICE_MAX_AGE: Final = 600
SUBSIDY_FUNDED: Final = 10**13

SPEC: Final = ListingSpec(
    gpu_model=1,
    gpu_count=2,
    vram_gb=80,
    region=3,
    cpu_cores=32,
    ram_gb=256,
    disk_kind=0,
    disk_gb=2_000,
    disk_mbps=6_000,
    net_up_mbps=1_000,
    net_down_mbps=2_500,
    cuda=1_204,
    on_demand_usd=ON_DEMAND_USD,
    spot_min_usd=1_900_000,
    mrl_seconds=100 * DAY,
    visible=True,
)

REQUEST: Final = RequestOrder(
    kind=RentalKind.ON_DEMAND,
    gpu_model=1,
    gpu_count=2,
    regions=0,
    near_region=ANY_REGION,
    min_score_bps=0,
    duration=HOUR,
    max_usd=8_000_003,
    deposit=200_000_000,
    expires_at=1_800_000_000 + DAY,
    order_hash=bytes(range(32)),
)
"""What the seeded listings fit; the deposit covers it in any of the mints."""

GPUM_TERMS: Final = PaymentMintTerms(
    oracle_kind=OracleKind.PINNED,
    enabled=True,
    shards=2,
    oracle=Pubkey.default(),
    pinned_price=GPUM_PRICE,
    max_age=0,
    subsidy_bps=6_500,
    burn_bps=1_500,
    extra_fee_bps=0,
    max_confidence_bps=0,
)
USDC_TERMS: Final = replace(GPUM_TERMS, shards=1, pinned_price=USDC_PRICE, subsidy_bps=0, burn_bps=0, extra_fee_bps=250)
WSOL_TERMS: Final = replace(
    USDC_TERMS, oracle_kind=OracleKind.POSTED, oracle=ORACLE, pinned_price=0, max_age=PRICE_MAX_AGE
)


def asking(**changes: Any) -> RequestOrder:
    """The request that the seeded listings fit with some fields changed."""
    return replace(REQUEST, **changes)


def spec(**changes: Any) -> ListingSpec:
    """The seeded listings' specification with some fields changed."""
    return replace(SPEC, **changes)
