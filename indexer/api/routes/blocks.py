"""GET /api/blocks: the chain's height and pace."""

from __future__ import annotations

from pydantic import BaseModel, Field

from anchor_client.solana.pace import slot_seconds
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/blocks", tags=["transactions"])
MILLIS = 1_000


class Blocks(BaseModel):
    """Height and pace of the chain. A transaction can land until `height` passes its `last_valid_block_height`."""

    height: int = Field(description="Height of the newest block.")
    slot_millis: int | None = Field(
        description="Slot time over the last minute; null before the API has measured a minute.",
        examples=[400],
    )


@router.get("", summary="The chain's height and pace", responses=refusals(429, 502, 503))
async def get_blocks(market: MarketClient) -> Blocks:
    """Read from the node."""
    client = market.session.client
    seconds = await slot_seconds(client)
    return Blocks(
        height=await client.get_block_height(),
        slot_millis=None if seconds is None else int(seconds * MILLIS),
    )
