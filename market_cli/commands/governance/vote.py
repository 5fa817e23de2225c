"""Votes on a proposal."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import tokens
from anchor_client.generated.events import VoteCast
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.errors import BadOption
from market_cli.session import CliSession

CHOICES = ("for", "against")


@acting
async def vote(
    session: CliSession,
    proposal: ProposalId,
    choice: Annotated[str, typer.Argument(help="for or against.")],
) -> None:
    """Vote once with your stake that was active when the proposal opened; it stays locked until the vote ends."""
    if choice not in CHOICES:
        raise BadOption(f"{choice!r} is not a vote", "Vote for or against.")
    sent = await session.signing.governance.vote(proposal, support=choice == "for")
    cast = sent.event(VoteCast)
    decimals = (await session.market.reads.market()).market_decimals
    text = f"Voted {choice} proposal {proposal} with {tokens(cast.weight, decimals)} staked tokens."
    session.out.sent(sent, text, id=proposal, support=cast.support, weight=str(cast.weight))


@acting
async def close_vote(
    session: CliSession,
    proposal: ProposalId,
    voter: Annotated[
        str | None,
        typer.Option("--voter", metavar="WALLET", help="Voter's wallet; default: yours.", show_default=False),
    ] = None,
) -> None:
    """Return a vote's rent to the voter after the vote has ended. Anyone may do this."""
    owner = session.owner(voter)
    sent = await session.signing.governance.close_vote(proposal, owner)
    session.out.sent(sent, f"Returned the rent of the vote on {proposal}.", id=proposal, voter=str(owner))
