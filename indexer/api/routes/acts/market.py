"""POST /api/market/subsidy: additions to the market's subsidy pool."""

from __future__ import annotations

from pydantic import Field

from indexer.api.actions.acts import REFUSALS, Acting, Amount, UnsignedAct
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/market", tags=["market"], responses=REFUSALS)


class Subsidy(Amount):
    """Market tokens, and the vault whose subsidy pool gets them."""

    shard: int = Field(default=0, ge=0, lt=64)


@router.post("/subsidy", summary="A subsidy to sign", operation_id="market_fund_subsidy")
async def fund_subsidy(body: Subsidy, actor: Acting) -> UnsignedAct:
    """Adds market tokens to a vault's subsidy pool. Anyone may sign."""
    return await actor.prepare(
        body, lambda market: market.fund_subsidy(body.units, body.shard), "Add to the subsidy pool"
    )
