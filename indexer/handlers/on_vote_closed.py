from __future__ import annotations

from anchor_client.generated.events import VoteClosed
from indexer.handlers.step import Step
from indexer.models import Vote


def on_vote_closed(event: VoteClosed, step: Step) -> None:
    """The rent of a vote goes back to its voter; the vote stays."""
    vote = step.rows.change(Vote, str(event.proposal), str(event.voter))
    if vote is not None:
        vote.closed_at = event.at
