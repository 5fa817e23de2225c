from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class RewardClaim(Projection, kw_only=True):
    """Rewards that a staker took, in base units of their mint."""

    __tablename__ = "reward_claim"

    stake: Mapped[Address] = mapped_column(primary_key=True)
    seq: Mapped[U64] = mapped_column(primary_key=True)
    stream: Mapped[Count]
    amount: Mapped[U64]
    compounded: Mapped[bool]
    """Whether they became stake."""
    at: Mapped[Count] = mapped_column(primary_key=True)
    """Part of the key: an account that was closed and opened again counts its `seq` from one."""
    signature: Mapped[Signature]
