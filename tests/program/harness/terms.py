"""Payment mint terms, a request and figures of the seeded market; its machines are tests.markets.spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.constants import ANY_REGION
from anchor_client.generated.types.oracle_kind import OracleKind
from anchor_client.generated.types.payment_mint_terms import PaymentMintTerms
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.request_order import RequestOrder
from tests.markets.spec import DAY

from .actors import ORACLE

WALLET_LAMPORTS: Final = 10**12
"""Lamports that every wallet starts with."""
MINUTE: Final = 60
HOUR: Final = 3_600
RESERVED_TERMS: Final = (7 * DAY, 30 * DAY, 90 * DAY)
U64_MAX: Final = 2**64 - 1

GPUM_PRICE: Final = 61_300_000_007
USDC_PRICE: Final = 1_000_000_000_000
WSOL_PRICE: Final = 187_654_321_000_000
"""Pico-USD per whole token."""
PRICE_MAX_AGE: Final = 600
SUBSIDY_FUNDED: Final = 10**13
SUBSIDY_BUDGET: Final = 10**13
"""Base units a day that each seeded host's machines may draw: more than any test does without meaning to."""
REFERENCE_USD: Final = 2**32 - 1
"""Micro-USD per GPU-hour of the seeded listings' model: above all their prices."""

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
    min_vram_gb=0,
    min_cuda=0,
    min_ram_gb=0,
    min_disk_gb=0,
    min_net_up_mbps=0,
    min_net_down_mbps=0,
)
"""A request that the seeded listings fit; the deposit covers it in any of the mints."""

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
