"""`gpu-market governance queue`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.commands.governance.render import moment
from market_cli.session import Session


@acting
async def queue(session: Session, proposal: ProposalId) -> None:
    """Count the votes after the vote has ended, and start the timelock if it passed. Anyone may do this."""
    governance = session.signing.governance
    sent = await governance.queue(proposal)
    counted = await governance.get(proposal)
    document = counted.model_dump(mode="json") | {"tx": str(sent.signature)}
    text = "Defeated." if counted.execute_at is None else f"Passed; executable from {moment(counted.execute_at)}."
    session.out.show(document, lambda console: console.print(f"Proposal {proposal}: {text}"))
