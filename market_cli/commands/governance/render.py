"""A proposal for programs and for people."""

from __future__ import annotations

from datetime import UTC, datetime

from anchor_client.market import Proposal
from anchor_client.rules.proposal import Stage
from market_cli.units import duration

COLORS = {Stage.EXECUTED: "green", Stage.QUEUED: "green", Stage.DUE: "green", Stage.DEFEATED: "red"}


def stage_text(proposal: Proposal) -> str:
    """The stage in its colour."""
    color = COLORS.get(proposal.stage)
    return f"[{color}]{proposal.stage}[/]" if color else proposal.stage.value


def waiting_for(proposal: Proposal, now: int) -> str:
    """What happens next, and when."""
    match proposal.stage:
        case Stage.VOTING:
            return f"the vote ends in {duration(proposal.ends_at - now)}"
        case Stage.ENDED:
            return "votes can be counted"
        case Stage.QUEUED if proposal.execute_at is not None:
            return f"executable in {duration(proposal.execute_at - now)}"
        case Stage.DUE:
            return "can be executed"
        case _:
            return "—"


def moment(at: int) -> str:
    """A time for people."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
