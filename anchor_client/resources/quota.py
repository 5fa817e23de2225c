"""Quotas of a wallet's concurrent rentals."""

from __future__ import annotations

from typing import Self

from solders.pubkey import Pubkey

from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.rules.catalog import region_slug
from anchor_client.rules.renter_profile import Quota


class RegionUse(Resource):
    """Rentals of a wallet in a region."""

    region: str = about(examples=["eu-west"])
    used: int


class WalletQuota(Resource):
    """A wallet's limits on concurrent rentals, and its current rentals, read from the chain."""

    wallet: Address
    limit: int = about(description="Maximum concurrent rentals.")
    used: int
    region_limit: int = about(description="Maximum concurrent rentals in one region.")
    regions: tuple[RegionUse, ...]
    stake: BaseUnits = about(description="Active stake, base units of the market token.")
    spent_usd: int = about(description="Micro-USD that the wallet has paid itself for machine time, without subsidies.")
    by_stake: int = about(description="Part of both limits earned by stake.")
    by_spend: int = about(description="Part of both limits earned by spending.")

    @classmethod
    def of(cls, wallet: Pubkey, quota: Quota) -> Self:
        """The quotas of a wallet."""
        return cls.drawn_from(
            quota,
            wallet=wallet,
            regions=tuple(
                RegionUse.known(region=region_slug(number), used=used) for number, used in quota.region_used.items()
            ),
        )
