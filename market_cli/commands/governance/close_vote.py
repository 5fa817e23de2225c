"""`gpu-market governance close-vote`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.session import Session

Voter = Annotated[
    str | None, typer.Option("--voter", metavar="WALLET", help="Voter's wallet; default: yours.", show_default=False)
]


@acting
async def close_vote(
    session: Session,
    proposal: ProposalId,
    voter: Voter = None,
) -> None:
    """Return a vote's rent to the voter after the vote has ended. Anyone may do this."""
    owner = None if voter is None else parse_address(voter)
    sent = await session.signing.governance.close_vote(proposal, owner)
    document = {"id": proposal, "voter": str(owner or session.wallet.pubkey), "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"Returned the rent of the vote on {proposal}."))
