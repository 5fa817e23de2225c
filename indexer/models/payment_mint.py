from __future__ import annotations

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection


class PaymentMint(Projection, kw_only=True):
    """A mint that orders are paid in, its terms and its price."""

    __tablename__ = "payment_mint"

    address: Mapped[Address] = mapped_column(primary_key=True)
    mint: Mapped[Address] = mapped_column(unique=True)
    decimals: Mapped[Count]
    oracle_kind: Mapped[str] = mapped_column(String(16))
    oracle: Mapped[Address]
    enabled: Mapped[bool]
    shards: Mapped[Count]
    max_age: Mapped[Count]
    subsidy_bps: Mapped[Count]
    burn_bps: Mapped[Count]
    extra_fee_bps: Mapped[Count]
    price: Mapped[U64]
    """Pico-USD per whole token; zero until known."""
    price_at: Mapped[Count]
    seq: Mapped[U64]
