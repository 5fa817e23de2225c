"""`gpu-market governance hand-over`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from anchor_client.deploy.checklist import Checklist, checklist
from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def hand_over(
    session: CliSession,
    final: Annotated[bool, typer.Option("--final", help="Confirm; this is irreversible.")] = False,
    keep_treasury: Annotated[bool, typer.Option("--keep-treasury", help="Keep the current treasury.")] = False,
    keep_program: Annotated[
        bool, typer.Option("--keep-program", help="Keep your key as the program's upgrade authority.")
    ] = False,
) -> None:
    """Show the rights that keys still hold; with --final, transfer market authority to governance, irreversibly.

    The treasury and the program's upgrade authority are transferred too, unless kept. Market authority only.
    """
    if not final:
        found = await checklist(session.market)
        notes = [f"First: {text}." for text in found.missing]
        session.out.show(_document(session, found), _rows(found), *notes)
        return
    governance = session.signing.governance
    sent = await governance.hand_over(treasury=not keep_treasury, program=not keep_program)
    text = f"Only executed proposals can change the market now; they sign as {governance.authority}."
    kept = {"treasury": not keep_treasury, "program": not keep_program}
    session.out.sent(sent, text, authority=str(governance.authority), **kept)


def _document(session: CliSession, found: Checklist) -> dict[str, Any]:
    return {
        "governance": str(session.market.governance.authority),
        "done": found.is_done,
        "missing": list(found.missing),
        "rights": [
            {
                "name": right.name,
                "holder": right.holder.value,
                "address": optional(str, right.address),
                "effect": right.effect,
                "step": right.step or None,
            }
            for right in found.rights
        ],
    }


def _rows(found: Checklist) -> Table:
    rows = table("right", "holder", "what it does", whole=("holder",))
    for right in found.rights:
        if right.address is None:
            who = right.holder.value
        else:
            who = f"{right.holder.value}\n[dim]{right.address}[/]"
        step = f"\n[dim]{right.step}[/]" if right.step else ""
        rows.add_row(right.name, who, right.effect + step)
    return rows
