"""`gpu-market governance close-vote`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.session import Session

Voter = Annotated[
    str | None, typer.Option("--voter", metavar="WALLET", help="Whose vote; yours by default.", show_default=False)
]


@acting
async def close_vote(
    session: Session,
    proposal: ProposalId,
    voter: Voter = None,
) -> None:
    """Get the rent of a vote back once the vote is over. Anyone may, for the voter."""
    owner = None if voter is None else parse_address(voter)
    sent = await session.signing.proposals.close_vote(proposal, owner)
    document = {"id": proposal, "voter": str(owner or session.wallet.pubkey), "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"The rent of the vote on {proposal} is back."))
