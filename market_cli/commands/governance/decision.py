"""Commands for a proposal once it has been made."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.session import CliSession
from market_cli.units import moment


@acting
async def cancel(session: CliSession, proposal: ProposalId) -> None:
    """Cancel your own proposal before its vote ends."""
    sent = await session.signing.governance.cancel(proposal)
    session.out.sent(sent, f"Cancelled proposal {proposal}.", id=proposal)


@acting
async def queue(session: CliSession, proposal: ProposalId) -> None:
    """Count the votes in the week after the vote, and start the timelock if it passed. Anyone may do this."""
    governance = session.signing.governance
    sent = await governance.queue(proposal)
    counted = await governance.get(proposal)
    text = "Defeated."
    if counted.execute_at is not None:
        text = f"Passed; executable from {moment(counted.execute_at)}."
    session.out.sent(sent, f"Proposal {proposal}: {text}", **counted.to_json())


@acting
async def veto(session: CliSession, proposal: ProposalId) -> None:
    """Stop a queued upgrade or treasury payment. Guardian only."""
    sent = await session.signing.governance.veto(proposal)
    session.out.sent(sent, f"Vetoed proposal {proposal}.", id=proposal)


@acting
async def close(session: CliSession, proposal: ProposalId) -> None:
    """Return the rent of an ended proposal to its proposer. Anyone may do this."""
    sent = await session.signing.governance.close(proposal)
    session.out.sent(sent, f"Returned the rent of proposal {proposal}.", id=proposal)


@acting
async def execute(session: CliSession, proposal: ProposalId) -> None:
    """Execute a passed proposal after its timelock. Anyone may do this."""
    sent = await session.signing.governance.execute(proposal)
    session.out.sent(sent, f"Executed proposal {proposal}.", id=proposal)
