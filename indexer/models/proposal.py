from __future__ import annotations

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from indexer.models.base import U64, Address, Count, Projection, Signature


class Proposal(Projection, kw_only=True):
    """What stakers vote on. Votes are base units of stake."""

    __tablename__ = "proposal"
    __table_args__ = (Index(None, "state", "number"), Index(None, "proposer", "number"))

    address: Mapped[Address] = mapped_column(primary_key=True)
    number: Mapped[U64] = mapped_column(index=True)
    proposer: Mapped[Address]
    title: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(String(32))
    """What kind of action it is: set_parameter, approve_host, ..."""
    action: Mapped[str] = mapped_column(Text)
    """The action and its arguments in JSON."""
    state: Mapped[str] = mapped_column(String(16))
    """voting, queued, executed, defeated or cancelled, as of the last event."""
    eligible: Mapped[U64]
    """Stake that the quorum is a share of."""
    quorum_bps: Mapped[Count]
    threshold_bps: Mapped[Count]
    timelock: Mapped[Count]
    votes_for: Mapped[U64] = mapped_column(default=0)
    votes_against: Mapped[U64] = mapped_column(default=0)
    voters: Mapped[Count] = mapped_column(default=0)
    created_at: Mapped[Count]
    ends_at: Mapped[Count]
    execute_at: Mapped[Count | None] = mapped_column(default=None)
    expires_at: Mapped[Count | None] = mapped_column(default=None)
    closed_at: Mapped[Count | None] = mapped_column(default=None)
    """When it was executed, defeated or cancelled."""
    executed_by: Mapped[Address | None] = mapped_column(default=None)
    create_signature: Mapped[Signature]
    close_signature: Mapped[Signature | None] = mapped_column(default=None)
    seq: Mapped[U64]
