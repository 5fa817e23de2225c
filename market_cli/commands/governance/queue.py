"""`gpu-market governance queue`."""

from __future__ import annotations

from anchor_client.generated.events import ProposalDecided
from anchor_client.generated.types import ProposalState
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.commands.governance.render import moment
from market_cli.session import Session


@acting
async def queue(session: Session, proposal: ProposalId) -> None:
    """Count the votes after the vote has ended, and start the timelock if it passed. Anyone may do this."""
    sent = await session.signing.governance.queue(proposal)
    decided = next(event for event in sent.events if isinstance(event, ProposalDecided))
    passed = decided.state == ProposalState.QUEUED
    document = {
        "id": proposal,
        "state": decided.state.name.lower(),
        "votes_for": decided.votes_for,
        "votes_against": decided.votes_against,
        "execute_at": decided.execute_at if passed else None,
        "tx": str(sent.signature),
    }
    text = f"Passed; executable from {moment(decided.execute_at)}." if passed else "Defeated."
    session.out.show(document, lambda console: console.print(f"Proposal {proposal}: {text}"))
