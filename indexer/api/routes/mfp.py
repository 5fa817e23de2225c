"""GET /api/mfp/{host}: a host's lock against the extra fee."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.resources.mfp import MfpLock
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/mfp", tags=["mfp"])


@router.get("/{host}", summary="A host's lock", responses=refusals(404, 422, 429, 502, 503))
async def get_lock(host: AddressText, market: MarketClient) -> MfpLock:
    """GPU points and lock of a host, by its wallet, and the remaining extra fee of each mint, read from the chain."""
    return await market.mfp.get(Pubkey.from_string(host))
