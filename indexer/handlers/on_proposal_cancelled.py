from __future__ import annotations

from anchor_client.generated.events import ProposalCancelled
from indexer.handlers.step import Step
from indexer.models import Proposal


def on_proposal_cancelled(event: ProposalCancelled, step: Step) -> None:
    """The proposer takes it back."""
    proposal = step.rows.change(Proposal, str(event.proposal))
    if proposal is None:
        return step.unknown("proposal", event.proposal, event.seq)
    proposal.seq = step.follow("proposal", event.proposal, proposal.seq, event.seq)
    proposal.state = "cancelled"
    proposal.closed_at = event.at
    proposal.close_signature = step.signature
