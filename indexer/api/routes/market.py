"""GET /api/market: the market's configuration."""

from __future__ import annotations

from anchor_client.resources.market import MarketSettings, market_settings
from indexer.api.deps import Chain
from indexer.api.errors import missing
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/market", tags=["market"])


@router.get("", summary="Keys, pauses and parameters")
async def get_market(chain: Chain) -> MarketSettings:
    """The market's account, as last indexed; `testing` markets allow shorter times and smaller quorums."""
    if chain.market is None:
        raise missing("market", "here")
    return market_settings(chain.market, chain.now())
