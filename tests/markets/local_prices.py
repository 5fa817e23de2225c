"""Prices of a local market's machines in its tokens, by the client's rules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from anchor_client.generated.types import RentalKind
from anchor_client.rules.catalog import GPU_MODELS
from anchor_client.rules.order import OrderStanding, Quote, quote_ceil
from anchor_client.rules.parameters import PARAMETERS
from anchor_client.rules.subsidy import Cover
from local_market.machines import gpu_terms, machines_by_region
from local_market.terms import LOCALNET_TERMS, TokenTerms

TOKENS: Final = (LOCALNET_TERMS.market_token, LOCALNET_TERMS.usdc, LOCALNET_TERMS.sol)
REFERENCE_USD: Final = {model.id: gpu_terms(model).reference_usd for model in GPU_MODELS}
MACHINES: Final = sorted(
    {
        (REFERENCE_USD[spec.gpu_model] * spec.gpu_count, spec.spot_min_usd, spec.on_demand_usd)
        for specs in machines_by_region().values()
        for spec in specs
    }
)
"""Reference price, least bid and price on demand of the machines, micro-USD an hour."""
MARKET: Any = SimpleNamespace(
    market_decimals=LOCALNET_TERMS.market_token.decimals,
    **{each.name: LOCALNET_TERMS.parameters.get(each.parameter, each.opens_with(10**6)) for each in PARAMETERS},
)
WITHOUT_STAKE: Final = OrderStanding()


def quoted(
    token: TokenTerms,
    kind: RentalKind,
    usd: int,
    duration: int,
    cover: Cover,
    standing: OrderStanding = WITHOUT_STAKE,
) -> Quote:
    """Cost of an order at `usd` micro-USD an hour in one of the tokens."""
    return quote_ceil(usd, kind, duration, MARKET, token, standing, cover=cover)
