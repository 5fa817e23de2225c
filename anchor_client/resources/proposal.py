"""Something that stakers vote on."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.constants import EXECUTION_WINDOW, QUEUE_WINDOW
from anchor_client.generated.types import ProposalState
from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from anchor_client.rules.proposal import Stage, stage_of, tally_of


class Vote(Resource):
    """A wallet's vote."""

    voter: Address
    support: bool
    weight: BaseUnits
    ts: int
    tx: Tx | None = about(default=None, description="Null when it was read from its account alone.")


class Proposal(Resource):
    """Something that stakers vote on. Votes are base units of stake, times unix seconds."""

    id: int = about(description="Its number.")
    address: Address
    proposer: Address
    title: str | None = about(description="Null when it was read from its account alone.")
    action: dict[str, Any] = about(
        description="What it does: `kind` and the arguments of that kind.",
        examples=[{"kind": "set_parameter", "parameter": "tip_lamports", "value": 20_000}],
    )
    stage: Stage = about(description="As of now: `ended` waits to be counted, `due` to be executed.")
    votes_for: BaseUnits
    votes_against: BaseUnits
    voters: int
    critical: bool = about(description="Whether the guardian may veto it: an upgrade or a matter of the treasury.")
    eligible: BaseUnits = about(description="Stake that was active when it was made, and so may vote.")
    quorum: BaseUnits = about(description="Votes that must be cast.")
    needed: BaseUnits = about(description="Votes in favour that the votes cast so far require.")
    passes: bool = about(description="Whether the votes cast so far would pass.")
    quorum_bps: int
    threshold_bps: int
    created_at: int
    ends_at: int = about(description="When the vote ends: fixed when it was made, whatever the voting period is now.")
    count_until: int = about(description="Before when the votes must be counted.")
    execute_at: int | None = about(description="From when it may be executed; null until queued.")
    expires_at: int | None = about(description="Until when it may be executed; null until queued.")
    closed_at: int | None = about(
        default=None, description="When it was executed, defeated, cancelled or vetoed; only the index keeps it."
    )
    executed_by: Address | None = None
    open_tx: Tx | None = about(default=None, description="Null when it was read from its account alone.")
    close_tx: Tx | None = None
    votes: tuple[Vote, ...] | None = about(default=None, description="Heaviest first; not in lists.")


def proposal_of(row: Any, *, state: ProposalState, now: int, action: dict[str, Any], **known: Any) -> Proposal:
    """The proposal of an account or of a row of the index, which name their fields alike, at `now`.

    `known` are the fields that they don't share.
    """
    counted = tally_of(row)
    execute_at = row.execute_at or None
    return Proposal.drawn_from(
        row,
        action=action,
        stage=stage_of(state, row.ends_at, row.execute_at or 0, now),
        quorum=counted.quorum,
        needed=counted.needed,
        passes=counted.passes,
        critical=bool(row.critical),
        count_until=row.ends_at + QUEUE_WINDOW,
        execute_at=execute_at,
        expires_at=None if execute_at is None else execute_at + EXECUTION_WINDOW,
        **known,
    )
