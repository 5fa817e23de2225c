from __future__ import annotations

from anchor_client.generated.events import ProposalDecided
from anchor_client.generated.types import ProposalState
from indexer.handlers.step import Step
from indexer.models import Proposal


def on_proposal_decided(event: ProposalDecided, step: Step) -> None:
    """The votes are counted: queued or defeated."""
    proposal = step.rows.change(Proposal, str(event.proposal))
    if proposal is None:
        return step.unknown("proposal", event.proposal, event.seq)
    proposal.seq = step.follow("proposal", event.proposal, proposal.seq, event.seq)
    proposal.state = event.state.name.lower()
    proposal.votes_for = event.votes_for
    proposal.votes_against = event.votes_against
    if event.state == ProposalState.QUEUED:
        proposal.execute_at = event.execute_at
        proposal.expires_at = event.expires_at
    else:
        proposal.closed_at = event.at
        proposal.close_signature = step.signature
