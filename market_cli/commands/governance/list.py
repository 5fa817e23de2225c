"""`gpu-market governance list`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import tokens
from anchor_client.market.governance.words import describe
from anchor_client.rules.proposal import Stage
from market_cli.acting import acting
from market_cli.commands.governance.render import stage_text, waiting_for
from market_cli.errors import BadOption
from market_cli.output import table
from market_cli.session import Session

STAGES = tuple(stage.value for stage in Stage)


@acting
async def list_(
    session: Session,
    stage: Annotated[
        str | None,
        typer.Option("--stage", help=f"Only proposals at this stage: {', '.join(STAGES)}.", show_default=False),
    ] = None,
) -> None:
    """Show proposals, newest first."""
    if stage is not None and stage not in STAGES:
        raise BadOption(f"{stage!r} is not a stage of a proposal", f"Choose one of: {', '.join(STAGES)}.")
    reads = session.market.reads
    found = [one for one in await session.market.governance.list() if stage in (None, one.stage.value)]
    decimals, now = (await reads.market()).market_decimals, await reads.now()
    rows = table(None, "id", "what", "stage", "for", "against", "next", numbers=("id", "for", "against"))
    for proposal in found:
        votes = (tokens(proposal.votes_for, decimals), tokens(proposal.votes_against, decimals))
        state, following = stage_text(proposal), waiting_for(proposal, now)
        rows.add_row(str(proposal.id), describe(proposal.action), state, *votes, following)
    session.out.show(found, lambda console: console.print(rows))
