"""A renter's needs of a machine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.generated.constants import BPS
from anchor_client.rules.catalog import Region, gpu_slug, region_slug
from anchor_client.rules.gpu_model import GpuModel


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineNeeds:
    """Needs of a machine; a default needs nothing.

    `count` is the exact number of GPUs, `min_vram_gb` the least memory of each, `min_score_bps` the least reputation of
    the host, and `among` the listings that meet needs which only the index can judge.
    """

    gpu: GpuModel | None = None
    region: Region | None = None
    count: int | None = None
    min_vram_gb: int = 0
    min_score_bps: int = 0
    among: Collection[Pubkey] | None = None

    def unmet(self, address: Pubkey, listing: Listing, score: int | None) -> str | None:
        """First need that a listing does not meet, as what the listing is instead; None if it meets all."""
        if self.gpu is not None and listing.gpu_model != self.gpu.id:
            return f"is a {gpu_slug(listing.gpu_model)}, not a {self.gpu.slug}"
        if self.region is not None and listing.region != self.region.id:
            return f"is in {region_slug(listing.region)}, not in {self.region.slug}"
        if self.count is not None and listing.gpu_count != self.count:
            return f"has {listing.gpu_count} GPUs, not {self.count}"
        if listing.vram_gb < self.min_vram_gb:
            return f"has {listing.vram_gb} GB of VRAM, less than {self.min_vram_gb}"
        if self.min_score_bps and (score is None or score < self.min_score_bps):
            return f"has a host without the reputation of {self.min_score_bps * 100 / BPS:g} %"
        if self.among is not None and address not in self.among:
            return "does not meet the other needs"
        return None

    @property
    def asked(self) -> tuple[str, ...]:
        """Names of the needs that could be left out, but for the model."""
        given = {
            "the region": self.region is not None,
            "the number of GPUs": self.count is not None,
            "the minimum VRAM": self.min_vram_gb > 0,
            "the minimum score": self.min_score_bps > 0,
            "`--verified` and minima of measured figures": self.among is not None,
        }
        return tuple(need for need, is_given in given.items() if is_given)

    def __str__(self) -> str:
        """The machine in words, with the needs that the chain can check."""
        what = "machine" if self.gpu is None else self.gpu.name
        if self.count is not None:
            what = f"{what} x {self.count}"
        if self.min_vram_gb:
            what += f" with {self.min_vram_gb} GB of VRAM"
        return what if self.region is None else f"{what} in {self.region.name}"
