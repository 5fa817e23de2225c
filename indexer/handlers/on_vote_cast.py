from __future__ import annotations

from anchor_client.generated.events import VoteCast
from indexer.handlers.stakes import hold
from indexer.handlers.step import Step
from indexer.models import Proposal, Vote


def on_vote_cast(event: VoteCast, step: Step) -> None:
    """A staker votes."""
    step.rows.add(
        Vote(
            proposal=str(event.proposal),
            voter=str(event.voter),
            support=event.support,
            weight=event.weight,
            at=event.at,
            signature=step.signature,
        )
    )
    hold(step, event.voter, event.stake_seq, event.voting_until)
    proposal = step.rows.change(Proposal, str(event.proposal))
    if proposal is None:
        return step.unknown("proposal", event.proposal, event.seq)
    proposal.seq = step.follow("proposal", event.proposal, proposal.seq, event.seq)
    proposal.votes_for = event.votes_for
    proposal.votes_against = event.votes_against
    proposal.voters += 1
