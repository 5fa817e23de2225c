"""`gpu-market governance cancel`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.session import Session


@acting
async def cancel(session: Session, proposal: ProposalId) -> None:
    """Cancel your own proposal before its vote ends."""
    sent = await session.signing.governance.cancel(proposal)
    document = {"id": proposal, "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"Cancelled proposal {proposal}."))
