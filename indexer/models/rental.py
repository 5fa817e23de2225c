"""Renters and rentals, with all that happened to them."""

from __future__ import annotations

from sqlalchemy import Index, text
from sqlmodel import Field

from indexer.models.base import (
    U64,
    Address,
    Count,
    Data,
    Entity,
    Entry,
    Hash,
    Projection,
    Prose,
    Signature,
    Word,
    table,
)

OPEN = text("ended_at IS NULL")
ENDED = text("ended_at IS NOT NULL")


@table()
class Renter(Projection):
    """A wallet that rents, as its profile counts it."""

    wallet: Address = Field(primary_key=True)
    profile: Address
    registered_at: Count
    closed_at: Count | None = None
    """When the profile was closed; null while there is one."""
    next_nonce: U64
    active_rentals: Count = 0
    completed_rentals: Count = 0
    spent_usd: U64 = 0
    """Micro-USD that the wallet has paid itself for machine time, over all ended rentals."""
    reported_usd: U64 = 0
    """Of that, what has weighed in reports that a machine was not as listed."""


@table(
    Index(None, "created_at", "address"),
    Index(None, "renter", "created_at", "address"),
    Index(None, "renter", "order_hash", sqlite_where=OPEN, postgresql_where=OPEN),
    Index(None, "status", "created_at", "address"),
    Index(None, "region", "created_at", "address"),
    Index(None, "contest_by"),
    Index(None, "ended_at", "address", sqlite_where=ENDED, postgresql_where=ENDED),
)
class Rental(Entity):
    """A rental from its opening on, closed ones included. Amounts are base units of `mint`, rates per hour."""

    renter: Address
    listing: Address
    host: Address
    mint: Address
    shard: Count
    nonce: U64
    kind: Word
    status: Word
    """queued, provisioning, running, completed, failed, cancelled or preempted."""
    gpu_model: Count
    gpu_count: Count
    region: Count
    duration: Count
    deposit: U64
    subsidy: U64
    rate: U64
    subsidy_rate: U64
    burn_rate: U64
    fee_rate: U64
    rate_usd: Count
    holdback_bps: Count
    holdback_window: Count
    provision_timeout: Count
    min_charge: Count
    """Least seconds that the renter pays for once it has started."""
    discount_bps: Count
    """Discount of a reserved rental, which stopping it gives back."""
    promise: Count
    """Seconds after which a host that has not started is owed nothing for preparing."""
    offline_after: Count
    tip_lamports: Count
    order_hash: Hash
    spec_version: Count
    """The listing's spec version when it was ordered."""
    connection: Data | None = None
    """Sealed to the renter's key."""
    created_at: Count
    started_at: Count | None = None
    paid_until: Count | None = None
    ended_at: Count | None = None
    open_tx: Signature
    close_tx: Signature | None = None
    close_reason: Word | None = None
    finalized_by: Address | None = None
    settled: Count = 0
    """Seconds the host has been paid for."""
    used: Count = 0
    charged: Count = 0
    """Seconds the renter has paid for, once it has ended."""
    paid_usd: U64 = 0
    """Micro-USD that the renter has paid themselves for the time that has been settled."""
    host_paid: U64 = 0
    fees: U64 = 0
    burned: U64 = 0
    refunded: U64 = 0
    subsidy_returned: U64 = 0
    compensation: U64 = 0
    """Base units paid, out of its deposit, to whoever held the machine that it waited for."""
    owed: U64 = 0
    """Of `refunded`, what the renter could not be paid yet."""
    may_finish: bool = False
    """True where the host may end it once its command has ended."""
    exit_code: Count | None = None
    """Exit code of a finished rental's command."""
    held: U64 = 0
    """Of `host_paid`, what waits until `contest_by`."""
    contest_by: Count | None = None
    """Until when the renter of a finished rental may contest it; null once that has been decided."""
    rating: Count | None = None
    held_from: Count | None = None
    """When it got the machine; null while it waits for it."""
    credited_at: Count | None = None
    """When its host was first paid."""
    not_as_listed: bool = False
    """True once its renter has reported with weight that the machine is not what was listed."""
    took_over: bool = False
    """True once it has taken a machine that it waited for."""
    doubted: bool = False
    """True once they have reported that at all."""


class RentalEntry(Entry):
    """Something that happened to a rental, among all that happened to rentals of its time."""

    since: Count = Field(primary_key=True)
    """When the rental was opened."""
    rental: Address = Field(primary_key=True)


@table(clustered=True)
class RentalState(RentalEntry):
    """A state a rental entered, when, and why."""

    seq: U64 = Field(primary_key=True)
    status: Word
    message: Prose
    preempt_at: Count | None = None
    """When the machine is handed to a better order, on the warning of it."""


@table(Index(None, "ts", "rental", "seq"), clustered=True)
class Settlement(RentalEntry):
    """A payment to a host, while its rental ran or as it ended, in base units of `mint`."""

    seq: U64 = Field(primary_key=True)
    host: Address
    mint: Address
    amount: U64
    seconds: Count
    """Seconds of the rental paid for so far."""


@table(clustered=True)
class Rating(RentalEntry):
    """A renter's rating of a rental, 1 to 5; `weight` is micro-USD that the renter had paid by then."""

    listing: Address
    host: Address
    rating: Count
    weight: U64


@table(clustered=True)
class RentalIssue(RentalEntry):
    """A problem with a machine, reported by its renter."""

    seq: U64 = Field(primary_key=True)
    listing: Address
    issue: Word
    """unreachable, not-as-listed, slow, network or other."""
    weight_usd: U64
    """Micro-USD that it weighs against the host."""
