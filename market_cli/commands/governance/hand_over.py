"""`gpu-market governance hand-over`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.errors import BadOption
from market_cli.session import Session


@acting
async def hand_over(
    session: Session,
    final: Annotated[bool, typer.Option("--final", help="Yes: it cannot be taken back.")] = False,
    keep_treasury: Annotated[bool, typer.Option("--keep-treasury", help="Fees go where they went.")] = False,
    keep_program: Annotated[bool, typer.Option("--keep-program", help="Your key still upgrades the program.")] = False,
) -> None:
    """Make the stakers' vote the market's authority, for ever. Only the market's authority may.

    The treasury and the program's code go with it unless kept.
    """
    if not final:
        raise BadOption("The hand-over cannot be taken back", "Say --final if that is what you want.")
    proposals = session.signing.proposals
    sent = await proposals.hand_over(treasury=not keep_treasury, program=not keep_program)
    document = {
        "authority": str(proposals.governance),
        "treasury": not keep_treasury,
        "program": not keep_program,
        "tx": str(sent.signature),
    }
    text = f"From now on only executed proposals change the market; they sign as {proposals.governance}."
    session.out.show(document, lambda console: console.print(text))
