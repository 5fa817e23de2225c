"""Order documents on their way to hosts."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import Address, Count, Data, Hash, Name, Record, Signature, table


@table()
class SealedOrder(Record):
    """An order on its way to its host: sealed to it, and signed by the renter. The chain knows the hash alone.

    It is not part of the index, so only its renter can restore it.
    """

    renter: Address = Field(primary_key=True)
    order_hash: Hash = Field(primary_key=True)
    signed_at: Count
    """Milliseconds, by the renter's clock."""
    signature: Signature
    received_at: Count = Field(index=True)
    kept_until: Count = Field(index=True)
    """When it is deleted, or looked at again if a rental or request has it then."""
    sealed: Data


@table(Index(None, "wide", "middle", "origin", "received_at"), Index(None, "renter", "received_at"))
class UnclaimedOrder(Record):
    """A sealed order whose rental or request neither the index nor the node has shown, and the networks that it counts
    for: these make room for each other."""

    renter: Address = Field(primary_key=True)
    order_hash: Hash = Field(primary_key=True)
    received_at: Count = Field(index=True)
    wide: Name = ""
    middle: Name = ""
    origin: Name = ""
