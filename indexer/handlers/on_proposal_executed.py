from __future__ import annotations

from anchor_client.generated.events import ProposalExecuted
from indexer.handlers.step import Step
from indexer.models import Proposal


def on_proposal_executed(event: ProposalExecuted, step: Step) -> None:
    """What was voted for is done; what it changed comes in events of its own."""
    proposal = step.rows.change(Proposal, str(event.proposal))
    if proposal is None:
        return step.unknown("proposal", event.proposal, event.seq)
    proposal.seq = step.follow("proposal", event.proposal, proposal.seq, event.seq)
    proposal.state = "executed"
    proposal.closed_at = event.at
    proposal.executed_by = str(event.by)
    proposal.close_signature = step.signature
