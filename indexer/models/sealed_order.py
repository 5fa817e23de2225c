from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import Address, Count, Data, Hash, Signature, Table


class SealedOrder(Table, kw_only=True):
    """What a host is to run, on its way there: sealed to it, and signed by the renter. The chain knows the hash alone.

    It is no part of the index, and so nothing brings it back but its renter.
    """

    __tablename__ = "sealed_order"

    renter: Mapped[Address] = mapped_column(primary_key=True)
    order_hash: Mapped[Hash] = mapped_column(primary_key=True)
    signed_at: Mapped[Count]
    """Milliseconds, by the renter's clock."""
    signature: Mapped[Signature]
    received_at: Mapped[Count] = mapped_column(index=True)
    kept_until: Mapped[Count] = mapped_column(index=True)
    """When it is deleted, or looked at again if a rental or request has it then."""
    sealed: Mapped[Data]
