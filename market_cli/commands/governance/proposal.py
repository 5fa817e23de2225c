"""Proposals and their votes."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from anchor_client.amounts import duration, tokens
from anchor_client.market import Proposal
from anchor_client.market.governance.words import describe
from anchor_client.rules.proposal import ProposalStage
from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId, one_of
from market_cli.output import details, table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.units import moment

COLORS = {
    ProposalStage.EXECUTED: "green",
    ProposalStage.QUEUED: "green",
    ProposalStage.DUE: "green",
    ProposalStage.DEFEATED: "red",
    ProposalStage.VETOED: "red",
}
SIDES = {True: "for", False: "against"}
STAGES = tuple(stage.value for stage in ProposalStage)


@acting
async def list_(
    session: CliSession,
    stage: Annotated[
        str | None,
        typer.Option("--stage", help=f"Only proposals at this stage: {', '.join(STAGES)}.", show_default=False),
    ] = None,
) -> None:
    """Show proposals, newest first."""
    if stage is None:
        wanted = STAGES
    else:
        wanted = (one_of(STAGES, stage, "a stage of a proposal"),)
    reads = session.market.reads
    found = [one for one in await session.market.governance.list() if one.stage.value in wanted]
    decimals = (await reads.market()).market_decimals
    now = await reads.now()
    rows = table("id", "what", "stage", "for", "against", "next", numbers=("id", "for", "against"))
    for proposal in found:
        votes = (tokens(proposal.votes_for, decimals), tokens(proposal.votes_against, decimals))
        state = _stage(proposal)
        following = _next(proposal, now)
        rows.add_row(str(proposal.id), describe(proposal.action), state, *votes, following)
    session.out.show(found, rows)


@acting
async def show(session: CliSession, proposal: ProposalId) -> None:
    """Show a proposal and its votes."""
    proposals = session.market.governance
    reads = session.market.reads
    title = await proposals.title(proposal)
    votes = await proposals.votes(proposal)
    found = replace(await proposals.get(proposal), title=title, votes=tuple(votes))
    decimals = (await reads.market()).market_decimals
    now = await reads.now()
    cast = found.votes_for + found.votes_against
    executable = optional(moment, found.execute_at)
    rows = details(
        ("proposal", f"{found.id} {theirs(found.title or '')}".strip()),
        ("does", describe(found.action)),
        ("proposer", str(found.proposer)),
        ("critical", "yes: the guardian may veto it" if found.critical else "no"),
        ("stage", _stage(found)),
        ("next", _next(found, now)),
        ("for", f"{tokens(found.votes_for, decimals)} of {tokens(found.needed, decimals)} needed"),
        ("against", tokens(found.votes_against, decimals)),
        ("cast", f"{tokens(cast, decimals)} of {tokens(found.quorum, decimals)} for a quorum"),
        ("vote ends", moment(found.ends_at)),
        ("executable", optional("from {}".format, executable) or "—"),
        *(
            ("vote", f"{vote.voter} {SIDES[vote.support]} {tokens(vote.weight, decimals)}")
            for vote in found.votes or ()
        ),
    )
    session.out.show(found, rows)


def _stage(proposal: Proposal) -> str:
    """The stage, coloured."""
    color = COLORS.get(proposal.stage)
    return f"[{color}]{proposal.stage}[/]" if color else proposal.stage.value


def _next(proposal: Proposal, now: int) -> str:
    """The next step of a proposal, and the time until then."""
    match proposal.stage:
        case ProposalStage.VOTING:
            return f"the vote ends in {duration(proposal.ends_at - now)}"
        case ProposalStage.ENDED:
            return f"votes can be counted for {duration(proposal.count_until - now)}"
        case ProposalStage.QUEUED if proposal.execute_at is not None:
            return f"executable in {duration(proposal.execute_at - now)}"
        case ProposalStage.DUE:
            return "can be executed"
        case _:
            return "—"
