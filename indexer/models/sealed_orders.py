"""Order documents on their way to hosts."""

from __future__ import annotations

from sqlmodel import Field

from indexer.models.base import Address, Count, Data, Hash, Name, Record, Signature, table


@table()
class SealedOrder(Record):
    """An order on its way to its host: sealed to it, and signed by the renter. The chain knows the hash alone.

    It is no part of the index, and so nothing brings it back but its renter.
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
    origin: Name = ""
    """Address that it came from, of IPv6 the /64: whose orders make room for others follows from it."""
