"""GET /api/governance/terms: votable terms other than parameters."""

from __future__ import annotations

from anchor_client.generated.accounts import GpuModel, StakePool
from anchor_client.generated.pdas import find_pool
from anchor_client.resources.terms import MarketTerms, market_terms
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter

router = StrictRouter(prefix="/api/governance/terms", tags=["governance"])


@router.get("", summary="Terms of mints and models", responses=refusals(429, 502, 503))
async def get_terms(market: MarketClient) -> MarketTerms:
    """Payment mints with their terms, GPU models' terms, and reward mints, read from the chain."""
    reads = market.reads
    return market_terms(
        await reads.payment_mints(),
        await reads.program.read_all(GpuModel),
        await reads.program.read(StakePool, find_pool(reads.program_id)[0]),
    )
