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
    final: Annotated[bool, typer.Option("--final", help="Confirm; this is irreversible.")] = False,
    keep_treasury: Annotated[bool, typer.Option("--keep-treasury", help="Keep the current treasury.")] = False,
    keep_program: Annotated[
        bool, typer.Option("--keep-program", help="Keep your key as the program's upgrade authority.")
    ] = False,
) -> None:
    """Transfer market authority to governance, irreversibly. Market authority only.

    The treasury and the program's upgrade authority are transferred too, unless kept.
    """
    if not final:
        raise BadOption("The hand-over is irreversible", "Add --final to confirm.")
    governance = session.signing.governance
    sent = await governance.hand_over(treasury=not keep_treasury, program=not keep_program)
    text = f"Only executed proposals can change the market now; they sign as {governance.authority}."
    kept = {"treasury": not keep_treasury, "program": not keep_program}
    session.out.sent(sent, text, authority=str(governance.authority), **kept)
