"""A renter's wishes for a rental."""

from __future__ import annotations

from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.generated.types import RentalKind
from anchor_client.market.host.needs import MachineNeeds
from anchor_client.rules.catalog import find_region
from anchor_client.rules.gpu_name import match_gpu
from anchor_client.service.optional import optional


@dataclass(frozen=True, slots=True)
class RentalWanted:
    """A renter's wishes: `duration` seconds of `listing`, or of the best idle machine that fits.

    `pay` is GPUM, USDC, SOL (wrapped in the transaction) or a mint's address; `max_cost` base units of it (default:
    quote + 1 %). `order_hash` is the order document's SHA-256. A spot order bids `bid_usd` micro-USD an hour, or the
    lowest winning bid; a `listing` that is held on spot is bid for. `max_charges` (base units) caps extra traffic and
    storage charges, for `storage_gb` of storage, on a listing that has them. `spec_version` is the version of the
    listing's spec that the renter has seen (default: the present one); the order is refused if the machine has changed.
    `until_exit` lets the host end the rental once the order's command has ended; no reserved order may. The order pays
    at most `max_usd` micro-USD an hour, fees included and the subsidy taken off. Without `listing`, none of `avoided`
    is taken.
    Machines known to have a CUDA below `cuda`, 1206 for 12.6, are taken only if there is no other.
    Each GPU has at least `min_vram_gb`, the host at least the reputation `min_score_bps`, and with `among` the machine
    is one of these.
    With `or_least` the time is the shortest that the market takes an order for, where that is longer than `duration`.
    """

    duration: int
    pay: str | Pubkey
    order_hash: bytes = b""
    kind: str | RentalKind = RentalKind.ON_DEMAND
    gpu: str | None = None
    region: str | None = None
    count: int | None = None
    listing: Pubkey | None = None
    max_cost: int | None = None
    bid_usd: int = 0
    max_charges: int = 0
    storage_gb: int = 0
    spec_version: int | None = None
    until_exit: bool = False
    max_usd: int | None = None
    avoided: tuple[Pubkey, ...] = ()
    or_least: bool = False
    cuda: int = 0
    min_vram_gb: int = 0
    min_score_bps: int = 0
    among: frozenset[Pubkey] | None = None

    @property
    def needs(self) -> MachineNeeds:
        """Needs of the machine. UnknownGpu, AmbiguousGpu, UnknownRegion."""
        return MachineNeeds(
            gpu=optional(match_gpu, self.gpu),
            region=optional(find_region, self.region),
            count=self.count,
            min_vram_gb=self.min_vram_gb,
            min_score_bps=self.min_score_bps,
            among=self.among,
        )
