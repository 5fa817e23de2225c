"""Orders that wait for a machine."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entry, Projection, Record, Signature, Word, table


class SpotOrder(Record):
    """An order that waited, or waits, for a machine that another rental held."""

    holder: Address
    """The job that it displaces."""
    renter: Address
    kind: Word
    rate_usd: Count
    """Micro-USD per machine-hour."""
    placed_at: Count
    preempt_at: Count
    outcome: Word = "waiting"
    """waiting, took_over, or why it was closed."""
    decided_at: Count | None = None
    tx: Signature


@table(Index(None, "listing", "placed_at", "rental"))
class SpotBid(SpotOrder, Projection):
    """Such an order, by its own rental."""

    rental: Address = Field(primary_key=True)
    listing: Address


@table()
class Compensation(Entry):
    """Payment to a machine's holder by an order that displaced it, or that waited and left; base units of `mint`."""

    challenger: Address = Field(primary_key=True)
    """The job that paid."""
    holder: Address = Field(index=True)
    """The job that was compensated."""
    mint: Address
    amount: U64
