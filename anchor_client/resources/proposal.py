"""A proposal for the stakers' vote."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.constants import EXECUTION_WINDOW, QUEUE_WINDOW
from anchor_client.generated.types import ProposalState
from anchor_client.resources.base import Address, BaseUnits, Resource, Tx, about
from anchor_client.rules.proposal import ProposalStage, stage_of, tally_of


class Vote(Resource):
    """A wallet's vote."""

    voter: Address
    support: bool
    weight: BaseUnits
    ts: int
    tx: Tx | None = about(default=None, description="Null when read only from its account.")


class Proposal(Resource):
    """A proposal for the stakers' vote. Votes are base units of stake, times unix seconds."""

    id: int = about(description="Its number.")
    address: Address
    proposer: Address
    title: str | None = about(description="Null when read only from its account.")
    action: dict[str, Any] = about(
        description="Its action: `kind` and the arguments of that kind.",
        examples=[{"kind": "set_parameter", "parameter": "tip_lamports", "value": 20_000}],
    )
    stage: ProposalStage = about(description="Current stage: `ended` waits to be counted, `due` to be executed.")
    votes_for: BaseUnits
    votes_against: BaseUnits
    voters: int
    critical: bool = about(description="True if the guardian may veto it: an upgrade or a matter of the treasury.")
    eligible: BaseUnits = about(description="Eligible stake: active when the proposal opened.")
    quorum: BaseUnits = about(description="Quorum of votes.")
    needed: BaseUnits = about(description="Votes in favour required by the votes cast so far.")
    passes: bool = about(description="True if the votes cast so far would pass.")
    quorum_bps: int
    threshold_bps: int
    created_at: int
    ends_at: int = about(description="End of the vote, fixed at its opening regardless of later voting periods.")
    count_until: int = about(description="Deadline for counting the votes.")
    execute_at: int | None = about(description="Start of the execution window; null until queued.")
    expires_at: int | None = about(description="End of the execution window; null until queued.")
    closed_at: int | None = about(
        default=None, description="Time of its execution, defeat, cancellation or veto; only the index keeps it."
    )
    executed_by: Address | None = None
    open_tx: Tx | None = about(default=None, description="Null when read only from its account.")
    close_tx: Tx | None = None
    votes: tuple[Vote, ...] | None = about(default=None, description="Heaviest first; not in lists.")


def proposal_of(row: Any, *, state: ProposalState, now: int, action: dict[str, Any], **known: Any) -> Proposal:
    """The proposal of an account or of a row of the index, which share field names, at `now`. `known` are the other
    fields.
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
