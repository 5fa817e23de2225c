from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Projection


class Catalog(Projection, kw_only=True):
    """Keeper of GPU points and of the market tokens that hosts have locked, in base units."""

    __tablename__ = "catalog"

    address: Mapped[Address] = mapped_column(primary_key=True)
    mint: Mapped[Address]
    token_account: Mapped[Address]
    locked: Mapped[U64] = mapped_column(default=0)
    seq: Mapped[U64]
