from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Count, Projection


class MarketParameterValue(Projection, kw_only=True):
    """A numeric parameter's present value, once it has been changed from the program's default."""

    __tablename__ = "market_parameter"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[U64]
    changed_at: Mapped[Count]
