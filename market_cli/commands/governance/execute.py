"""`gpu-market governance execute`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.session import Session


@acting
async def execute(session: Session, proposal: ProposalId) -> None:
    """Execute a passed proposal after its timelock. Anyone may do this."""
    sent = await session.signing.governance.execute(proposal)
    document = {"id": proposal, "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"Executed proposal {proposal}."))
