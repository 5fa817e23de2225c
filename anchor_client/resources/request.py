"""A request: an order for any machine that fits."""

from __future__ import annotations

from anchor_client.generated.constants import ANY_REGION
from anchor_client.kinds import RequestState
from anchor_client.resources.base import Address, BaseUnits, Hash, Kind, Resource, Tx, about
from anchor_client.rules.catalog import REGIONS, region_slug


class MachineRequest(Resource):
    """A request: an order for any machine that fits. Amounts are base units of `mint`, times unix seconds."""

    id: Address = about(description="Address of the request.")
    status: RequestState
    message: str = about(description="The status in words.")
    renter: Address
    gpu: str = about(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int
    regions: tuple[str, ...] = about(description="Allowed regions; any region if empty.", examples=[["eu-west"]])
    near: str | None = about(description="Region whose near machines are preferred.")
    min_score_bps: int = about(description="Minimum reputation of the host.")
    min_vram_gb: int = about(description="Minimum GB of each GPU; 0 for no minimum, as in the other fields.")
    min_cuda: int = about(description="CUDA version: 100 times major plus minor.")
    min_ram_gb: int
    min_disk_gb: int
    min_net_up_mbps: int
    min_net_down_mbps: int
    kind: Kind
    duration: int = about(description="Seconds.")
    max_usd: int = about(description="Maximum price of a machine-hour, micro-USD.")
    mint: Address
    token: str | None = about(default=None, description="The mint's symbol, if configured.")
    decimals: int = about(description="Decimals of `mint`.")
    deposit: BaseUnits = about(description="The renter's deposit.")
    refunded: BaseUnits = about(description="Refund at its end.")
    job: Address | None = about(description="The rental opened by the match.")
    listing: Address | None = about(description="The matched machine.")
    order_hash: Hash = about(description="SHA-256 of the order document, in hex.")
    created_at: int
    expires_at: int
    ended_at: int | None
    finalized_by: Address | None = about(description="Address that ended it.")
    open_tx: Tx | None = about(description="Null when read only from its account.")
    close_tx: Tx | None

    @property
    def is_open(self) -> bool:
        """True while it waits for a machine."""
        return self.status is RequestState.OPEN


def slugs_of_regions(mask: int) -> tuple[str, ...]:
    """The catalog's regions in a mask."""
    return tuple(region.slug for region in REGIONS if mask >> region.id & 1)


def slug_of_near(number: int) -> str | None:
    """The preferred region; None without one."""
    return None if number == ANY_REGION else region_slug(number)
