"""Tables of what has been read of the chain: everything else follows from it."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Data, Hash, Name, Projection, Prose, Record, Signature, Word, table


@table()
class Cursor(Record):
    """Last transaction, inclusive, up to which a source has been read without a gap."""

    source: Name = Field(primary_key=True)
    """Address of the program that is followed."""
    slot: Count
    transaction_index: Count
    signature: Signature
    final_slot: Count = 0
    """Slot up to which what was read at the confirmed commitment is known to be final."""
    stale: bool = False
    """True once the past has changed since the projections were made: they are to be rebuilt."""


@table()
class TopicPosition(Record):
    """Progress of a program's topic into the database, and the projector that may write."""

    source: Name = Field(primary_key=True)
    """Address of the program that is followed."""
    epoch: Count
    """Number of the projector that took over last: no other can write."""
    next_slot: Count
    """Slots before it are complete."""
    next_offset: Count
    """Everything that concerns later slots stands from here on."""


@table()
class Intake(Record):
    """Numbers for what the index takes in, in the order in which that is committed; one row."""

    id: Hash = Field(primary_key=True)
    """Random: distinguishes the numbers of one database from those of another."""
    last: Count


@table(
    Index("ix_raw_event_place", "slot", "transaction_index", "instruction_index", "inner_index"),
    Index(None, "trace"),
    clustered=True,
)
class RawEvent(Record):
    """An event as the program wrote it, behind its tag; what every projection is made from.

    By its signature it is found with `trace`, which keeps to the last pages of its index: a new signature in an index
    of all is on another page each time, and each such page is rewritten.
    """

    number: Count = Field(primary_key=True)
    """Of the intake."""
    slot: Count
    transaction_index: Count
    """Place of the transaction in its block."""
    instruction_index: int
    inner_index: int
    signature: Signature
    trace: Count
    """As `indexer.store.raw_events` makes it of slot and signature."""
    name: Name
    data: Data


@table()
class WithdrawnEvent(Record):
    """An event of a confirmed transaction that did not become final."""

    number: Count = Field(primary_key=True)
    """Of the intake, when it was withdrawn."""
    event_number: Count
    """Of the intake, when it came."""
    signature: Signature
    instruction_index: int
    inner_index: int
    slot: Count
    transaction_index: Count
    name: Name
    data: Data


@table()
class DeadLetter(Record):
    """An event of our program that could not be read. `rebuild` takes it up once the client can."""

    signature: Signature = Field(primary_key=True)
    instruction_index: int = Field(primary_key=True)
    inner_index: int = Field(primary_key=True)
    slot: Count
    transaction_index: Count
    data: Data
    error: Name
    detail: Prose


@table()
class ProjectionVersion(Record):
    """A version of the code that has made the projections."""

    version: Hash = Field(primary_key=True)
    number: Count
    """Its place among them: the last to have made the tables is the newest."""
    holds: bool
    """True where the tables are as it made them; for none of them while they are to be rebuilt."""


@table()
class Progress(Record):
    """State of the process that follows the chain, as of its last look; moments by the database's clock."""

    source: Name = Field(primary_key=True)
    """Address of the program that is followed."""
    head_slot: Count
    complete_slot: Count
    completed_at: Count | None = None
    final_slot: Count | None = None
    """Slot up to which the index's content is known to be final; null: all of it is."""
    chain_time: Count
    """Unix seconds by the chain's clock at `seen_at`."""
    seen_at: Count
    market: Data | None = None
    """The market's account."""
    genesis: Name | None = None
    """Genesis hash of the chain's cluster."""
    last_error: Prose | None = None
    unwritable: Prose | None = None


@table()
class Change(Record):
    """A commit's changes, in words of `indexer.changes.writer`; only the last ones are kept."""

    number: int | None = Field(default=None, primary_key=True)
    words: Prose


@table()
class SeqGap(Projection):
    """An event whose `seq` does not follow the last one seen of its entity: something was missed."""

    entity: Address = Field(primary_key=True)
    found: U64 = Field(primary_key=True)
    expected: U64
    kind: Word
    event: Name
    signature: Signature
    slot: Count
    since_slot: Count
    """Slot of the event before; 0 if none is known."""


@table()
class GapAttempt(Record):
    """Number of attempts to close a gap, and the moment of the next one, in unix seconds."""

    entity: Address = Field(primary_key=True)
    found: U64 = Field(primary_key=True)
    attempts: int
    next_at: Count


class VaultCheck(Record):
    """The last comparison of a vault's ledger here with its account on chain."""

    vault: Address = Field(primary_key=True)
    slot: Count
    checked_at: Count
    difference: Prose | None
    """Difference found; null when the index agrees to the base unit."""


@table()
class SupplyCheck(Record):
    """The last comparison of a mint's supply with what its vaults have burned."""

    mint: Address = Field(primary_key=True)
    slot: Count
    supply: U64 | None
    difference: Prose | None
    """Contradiction found; null when the index may be right."""


@table()
class Reconciliation(VaultCheck):
    """A check, with the vault's `seq` that it was made at."""

    seq: U64
