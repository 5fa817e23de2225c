"""Hosts, their scores and listings."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, Entry, Hash, Prose, table


@table()
class Host(Entity):
    """Someone who offers machines."""

    authority: Address = Field(index=True)
    seal_key: Hash
    approved: bool = False
    registered_at: Count
    tracked_seconds: U64 = 0
    up_seconds: U64 = 0
    open_listings: Count = 0
    rating_sum: U64 = 0
    """Ratings, payments and ends, of all that its listings have handed over."""
    rating_weight: U64 = 0
    paid_usd: U64 = 0
    """Micro-USD that renters have paid themselves."""
    completed: Count = 0
    failed: Count = 0
    not_as_listed_usd: U64 = 0
    """Micro-USD that reports of machines that were not as listed weigh against it."""
    refused: Count = 0
    """Orders refused before the start."""
    score_bps: Count | None = None
    """None before the first score."""
    score_round: Count = 0
    """Number of the host's latest score; HostScore has its inputs."""
    points: Count = 0
    """GPU points of the open listings."""
    mfp_locked: U64 = 0
    mfp_unlocking: U64 = 0
    mfp_unlock_at: Count = 0
    subsidy_budget: U64 = 0
    """Base units of the market token that orders of its machines may draw from the subsidy pool in a UTC day."""
    subsidy_booked: U64 = 0
    """Base units that they have drawn on `subsidy_day`."""
    subsidy_day: Count = 0
    """Days since 1970."""
    recent_starts: Prose = ""
    """Seconds from taking the machine to its start, of the last rentals that started."""
    recent_credits: Prose = ""
    """The same to the host's first payment."""


@table()
class HostScore(Entry):
    """A host's score in basis points, and what it was made of.

    Ratings weigh the micro-USD that raters had paid, all else what all renters had paid, and half of each the prior;
    reports of machines that were not as listed weigh against the completed rentals.
    """

    host: Address = Field(primary_key=True)
    round: Count = Field(primary_key=True)
    score_bps: Count
    tracked_seconds: U64
    up_seconds: U64
    rating_sum: U64
    rating_weight: U64
    completed: Count
    failed: Count
    paid_usd: U64
    prior_usd: U64
    not_as_listed_usd: U64


@table(Index(None, "closed_at", "on_demand_usd", "address"), Index(None, "gpu_model", "closed_at", "on_demand_usd"))
class Listing(Entity):
    """A machine on offer. Prices are micro-USD per machine-hour."""

    host: Address = Field(index=True)
    authority: Address
    operator: Address
    """The key that serves the machine."""
    number: Count
    gpu_model: Count
    gpu_count: Count
    vram_gb: Count
    region: Count
    cpu_cores: Count
    ram_gb: Count
    disk_kind: Count
    disk_gb: Count
    disk_mbps: Count
    net_up_mbps: Count
    net_down_mbps: Count
    cuda: Count
    spec_version: Count
    on_demand_usd: Count
    reference_usd: Count = 0
    """Micro-USD per GPU-hour up to which orders are subsidised."""
    spot_min_usd: Count
    mrl_seconds: Count
    keep_days: Count
    """For which renters' workspaces are kept."""
    visible: bool
    bandwidth_usd: Count = 0
    """Micro-USD per GB of traffic above the allowance."""
    bandwidth_free_gb: Count = 0
    storage_usd: Count = 0
    """Micro-USD per GB and hour of storage."""
    current: Address | None = None
    """The rental that holds the machine."""
    challenger: Address | None = None
    """The rental that waits for it."""
    preempt_at: Count | None = None
    """When the challenger may take over."""
    challenge_from: Count = 0
    """No order may begin to wait before this moment."""
    created_at: Count
    idle_since: Count
    closed_at: Count = 0
    """Zero while the listing exists."""
    last_heartbeat_at: Count = 0
    returned_at: Count = 0
    """The heartbeat that ended its last silence; its first one."""
    silence: str = "heard"
    """Heard, marked or proven silent."""
    answer_by: Count | None = None
    """Until when a marked host may answer."""
    marked_at: Count = 0
    """When it was last marked."""
    answer_slot: Count = 0
    """Slot until which its host may answer at least."""
    tracked_seconds: U64 = 0
    up_seconds: U64 = 0
    opened: Count = 0
    completed: Count = 0
    owed: U64 = 0
    """Base units of `owed_mint` that the host has to claim before the next order."""
    owed_mint: Address | None = None
    owed_shard: Count = 0
    """Of the vault that owes it."""
    failed: Count = 0
    refused: Count = 0
    """Orders refused before the start."""
    rating_sum: U64 = 0
    rating_weight: U64 = 0
    issues: Count = 0
    """Reports by renters."""
    proven_seconds: Count = 0
    """Of ended rentals, which speak for the machine being what is listed."""
    points: Count = 0
    """GPU points of the machine."""


@table(clustered=True)
class ListingPrice(Entry):
    """A listing's prices from `ts` on, in micro-USD per machine-hour; zero takes no spot."""

    listing: Address = Field(primary_key=True)
    seq: U64 = Field(primary_key=True)
    """The event of the listing that they came with."""
    on_demand_usd: Count
    spot_min_usd: Count
