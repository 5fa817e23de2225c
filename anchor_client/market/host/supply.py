"""What is listed of each model of the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anchor_client.market.host.offers import Offer
from anchor_client.rules.catalog import GPU_MODELS, GpuModel


@dataclass(frozen=True, slots=True)
class GpuSupply:
    """One model: listings, listings that can be rented now, and the cheapest of those, micro-USD per machine-hour."""

    model: GpuModel
    listed: int
    available: int
    from_usd: int | None


def supply_of(offers: Sequence[Offer]) -> list[GpuSupply]:
    """The catalog in its order, with what is on offer of each model."""
    return [_supply(model, [offer for offer in offers if offer.listing.gpu_model == model.id]) for model in GPU_MODELS]


def _supply(model: GpuModel, offers: Sequence[Offer]) -> GpuSupply:
    prices = [offer.listing.on_demand_usd for offer in offers if offer.is_available]
    return GpuSupply(model, len(offers), len(prices), min(prices, default=None))
