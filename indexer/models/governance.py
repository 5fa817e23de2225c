"""Proposals and votes."""

from __future__ import annotations

from sqlalchemy import Index
from sqlmodel import Field

from indexer.models.base import U64, Address, Count, Entity, Entry, Prose, Signature, Word, table


@table(Index(None, "state", "number"), Index(None, "proposer", "number"))
class Proposal(Entity):
    """A proposal that stakers vote on. Votes are base units of stake."""

    number: U64 = Field(index=True)
    proposer: Address
    title: Prose
    kind: Word
    """Kind of action: set_parameter, approve_host, ..."""
    action: Prose
    """The action and its arguments in JSON."""
    state: Word
    """voting, queued, executed, defeated, cancelled or vetoed, as of the last event."""
    critical: bool
    """True where the guardian may veto it."""
    eligible: U64
    """Stake that the quorum is a share of."""
    quorum_bps: Count
    threshold_bps: Count
    timelock: Count
    votes_for: U64 = 0
    votes_against: U64 = 0
    voters: Count = 0
    created_at: Count
    ends_at: Count
    execute_at: Count | None = None
    expires_at: Count | None = None
    closed_at: Count | None = None
    """When it was executed, defeated, cancelled or vetoed."""
    returned_at: Count | None = None
    """When the proposer had its rent back."""
    executed_by: Address | None = None
    open_tx: Signature
    close_tx: Signature | None = None


@table()
class Vote(Entry):
    """A wallet's vote on a proposal; `weight` is its active stake when it voted, in base units."""

    proposal: Address = Field(primary_key=True)
    voter: Address = Field(primary_key=True, index=True)
    support: bool
    weight: U64
    closed_at: Count | None = None
    """When the voter had the rent of the vote back."""
