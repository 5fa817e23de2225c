"""GET /api/quota/{wallet}: how many rentals a wallet may have at a time."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field
from solders.pubkey import Pubkey

from anchor_client.resources.base import BaseUnits
from anchor_client.rules.catalog import region_slug
from indexer.api.deps import AddressText, MarketClient
from indexer.api.errors import refusals

router = APIRouter(prefix="/api/quota", tags=["quota"])


class RegionUse(BaseModel):
    """Rentals of a wallet in a region."""

    region: str = Field(examples=["eu-west"])
    used: int


class WalletQuota(BaseModel):
    """What a wallet may rent at a time, and what it rents now, as the chain says this moment."""

    wallet: str
    limit: int = Field(description="Rentals at a time.")
    used: int
    region_limit: int = Field(description="Rentals at a time in one region.")
    regions: list[RegionUse]
    stake: BaseUnits = Field(description="Active stake, base units of the market token.")
    spent_usd: int = Field(description="Micro-USD of machine time used so far.")
    by_stake: int = Field(description="Part of both limits that the stake gives.")
    by_spend: int = Field(description="Part of both limits that the spending gives.")


@router.get("/{wallet}", summary="A wallet's quota and use", responses=refusals(422, 502, 503))
async def get_quota(wallet: AddressText, market: MarketClient) -> WalletQuota:
    """Both quotas grow with stake and with what has been spent; a wallet that never rented has the base."""
    quota = await market.reads.quota(Pubkey.from_string(wallet))
    return WalletQuota(
        wallet=wallet,
        limit=quota.limit,
        used=quota.used,
        region_limit=quota.region_limit,
        regions=[RegionUse(region=region_slug(number), used=used) for number, used in quota.region_used.items()],
        stake=quota.stake,
        spent_usd=quota.spent_usd,
        by_stake=quota.by_stake,
        by_spend=quota.by_spend,
    )
