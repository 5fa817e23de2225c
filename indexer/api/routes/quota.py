"""GET /api/quota/{wallet}: a wallet's quota of concurrent rentals."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.resources.quota import WalletQuota
from indexer.api.deps import MarketClient
from indexer.api.errors import refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.words import AddressText

router = StrictRouter(prefix="/api/quota", tags=["quota"])


@router.get("/{wallet}", summary="A wallet's quota and use", responses=refusals(422, 429, 502, 503))
async def get_quota(wallet: AddressText, market: MarketClient) -> WalletQuota:
    """Both quotas grow with stake and spending; a wallet that never rented has the base quota."""
    owner = Pubkey.from_string(wallet)
    return WalletQuota.of(owner, await market.reads.quota(owner))
