"""A machine on offer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated.constants import BPS
from anchor_client.generated.types import Silence
from anchor_client.kinds import SILENCES, SilenceState
from anchor_client.resources.base import Address, BaseUnits, Resource, about
from anchor_client.resources.charges import ListingCharges
from anchor_client.resources.rate import OrderRate, UsdRate
from anchor_client.rules.catalog import gpu_slug, region_slug
from anchor_client.rules.listing import CUDA_MAJOR
from anchor_client.service.optional import optional

INDEXED: Final = ("issues_reported", "verified", "measured")
"""Fields that only the index has."""
DISK_KINDS: Final = ("nvme", "ssd", "hdd")


class ListingStatus(StrEnum):
    """State of a listing: the first that applies of hidden, unapproved, offline, rented and owing, else available. An
    owing listing takes no order until its debt to the host is claimed.
    """

    AVAILABLE = "available"
    RENTED = "rented"
    OWING = "owing"
    OFFLINE = "offline"
    UNAPPROVED = "unapproved"
    HIDDEN = "hidden"


class Measured(Resource):
    """Measurements of a machine by its host, unverified; a GPU figure is the slowest GPU's. Null if not measured."""

    measured_at: int = about(description="Unix seconds, by the host's clock.")
    tested: bool = about(description="True if the machine then passed its host's own test, by the host's word.")
    driver: str | None = about(examples=["570.86.15"])
    pcie_generation: int | None
    pcie_width: int | None
    fp32_gflops: int | None = about(description="Multiply-adds in registers, 10^9 operations per second.")
    gemm_gflops: int | None = about(description="Matrix product, 10^9 operations per second.")
    vram_mb_per_second: int | None = about(description="Copy within the GPU, reads and writes.")
    pcie_mb_per_second: int | None = about(description="Copy from the machine's memory to the GPU.")
    disk_mbps: int | None = about(description="Disk writes, MB per second.")
    network_mbps: int | None = about(description="Download, Mbit per second.")


class Listing(Resource):
    """A machine on offer. Prices are micro-USD per machine-hour, times unix seconds."""

    id: Address = about(description="Address of the listing.")
    number: int = about(description="Its number among the host's listings.")
    status: ListingStatus
    host: Address
    host_authority: Address = about(description="The host's wallet, which is paid.")
    operator: Address = about(description="The key that serves the machine.")
    gpu: str = about(examples=["nvidia-h100-pcie-80gb"])
    gpu_count: int
    vram_gb: int
    spec_version: int = about(
        description="Rises with changes of the machine's specs and of keep_days, not of its price."
    )
    region: str = about(examples=["eu-west"])
    cpu_cores: int
    ram_gb: int
    disk_kind: str = about(examples=["nvme"])
    disk_gb: int
    disk_mbps: int
    net_up_mbps: int
    net_down_mbps: int
    cuda: str = about(examples=["12.8"])
    market_rate: UsdRate = about(description="Price on demand, before fees and subsidy.")
    rates: tuple[OrderRate, ...] = about(
        description="Hourly cost of an order placed now, by kind and token, the market token first; spot at the "
        "minimum bid. Empty while unknown."
    )
    reference_usd: int = about(
        description="Micro-USD per GPU-hour up to which orders in the market token are subsidised."
    )
    spot_min_usd: int = about(description="Minimum spot bid, micro-USD per hour; 0 for no spot orders.")
    charges: ListingCharges | None = about(description="Prices of traffic and storage; null if free.")
    max_duration: int = about(description="Longest rental, seconds.")
    keep_days: int = about(description="Days for which a renter's workspace is kept on request for their next rental.")
    available: bool = about(description="True if an order can take it now.")
    online: bool = about(description="True if its last heartbeat is recent enough.")
    current_job: Address | None
    last_heartbeat_at: int
    silence: SilenceState = about(
        description="heard; marked, if its last heartbeat was too old; or silent, if that is proven. The last two take "
        "no order before the next heartbeat."
    )
    silent_since: int | None = about(description="Last heartbeat of a marked or silent host; null while heard.")
    answer_by: int | None = about(
        description="Deadline for a marked host's answer, after which its silence can be proven. Null unless marked."
    )
    owed: BaseUnits = about(
        description="Debt to its host that must be claimed before the next order, base units of `owed_mint`."
    )
    owed_mint: Address | None = about(description="Null without a debt.")
    uptime_bps: int | None = about(description="Share of the tracked time that counts as up; null until tracked.")
    rating: str | None = about(
        description="Mean rating weighted by the raters' payments, 1 to 5; null without any.", examples=["4.50"]
    )
    rentals_completed: int
    rentals_failed: int = about(description="Rentals that failed through the host's fault.")
    orders_refused: int = about(
        description="Orders refused before the start; they count neither for nor against the host."
    )
    issues_reported: int | None = about(default=None, description="Renters' issue reports; only the index counts them.")
    verified: bool | None = about(
        default=None,
        description="True if paying renters have used it for an hour in total since its host last changed its specs, "
        "and since the last weighted not-as-listed report; only the index counts that.",
    )
    measured: Measured | None = about(
        default=None, description="Its host's measurements for the current specs; only the index keeps them."
    )
    host_since: int | None = about(description="When its host registered; null if that is unknown.")
    host_score_bps: int | None = about(
        description="The host's reputation in basis points; null until first scored. See /api/hosts."
    )

    def as_indexed(self, told: Mapping[str, Any]) -> Listing:
        """The same listing with the API's fields that only the index has."""
        measured = optional(Measured.read, told["measured"])
        known = {name: told[name] for name in INDEXED} | {"measured": measured}
        return Listing.known(**vars(self) | known)


def listing_of(
    machine: Any,
    *,
    id: Pubkey | str,
    number: int,
    current: Pubkey | str | None,
    challenger: Pubkey | str | None,
    approved: bool,
    online: bool,
    score_bps: int | None,
    host_since: int | None,
    rates: tuple[OrderRate, ...],
    silence: Silence,
    answer_by: int | None,
    owed_mint: Pubkey | str | None,
    issues: int | None = None,
    verified: bool | None = None,
    measured: Measured | None = None,
) -> Listing:
    """The listing of an account or of a row of the index, which share field names."""
    charges = None
    if machine.bandwidth_usd or machine.storage_usd:
        charges = ListingCharges.drawn_from(machine)
    uptime_bps = None
    if machine.tracked_seconds:
        uptime_bps = machine.up_seconds * BPS // machine.tracked_seconds
    is_free = current is None and challenger is None
    status = _status(bool(machine.visible), approved, online, is_free, owes=machine.owed > 0)
    return Listing.drawn_from(
        machine,
        id=id,
        number=number,
        status=status,
        host_authority=machine.authority,
        gpu=gpu_slug(machine.gpu_model),
        region=region_slug(machine.region),
        disk_kind=DISK_KINDS[machine.disk_kind],
        cuda=f"{machine.cuda // CUDA_MAJOR}.{machine.cuda % CUDA_MAJOR}",
        market_rate=UsdRate.of(machine.on_demand_usd),
        rates=rates,
        charges=charges,
        max_duration=machine.mrl_seconds,
        available=status is ListingStatus.AVAILABLE,
        online=online,
        current_job=current,
        silence=SILENCES[silence],
        silent_since=None if silence is Silence.HEARD else machine.last_heartbeat_at,
        answer_by=answer_by if silence is Silence.MARKED else None,
        owed_mint=owed_mint,
        uptime_bps=uptime_bps,
        rating=mean_rating(machine.rating_sum, machine.rating_weight),
        rentals_completed=machine.completed,
        rentals_failed=machine.failed,
        orders_refused=machine.refused,
        issues_reported=issues,
        verified=verified,
        measured=measured,
        host_since=host_since,
        host_score_bps=score_bps,
    )


def _status(visible: bool, approved: bool, online: bool, is_free: bool, *, owes: bool) -> ListingStatus:
    if not visible:
        return ListingStatus.HIDDEN
    if not approved:
        return ListingStatus.UNAPPROVED
    if not online:
        return ListingStatus.OFFLINE
    if not is_free:
        return ListingStatus.RENTED
    return ListingStatus.OWING if owes else ListingStatus.AVAILABLE


def mean_rating(total: int, weight: int) -> str | None:
    """Mean of ratings from their sum and weights, two decimals, rounded down; None without ratings."""
    if weight == 0:
        return None
    hundredths = total * 100 // weight
    return f"{hundredths // 100}.{hundredths % 100:02d}"
