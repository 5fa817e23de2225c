"""`gpu-market indexer dead-letters`."""

from __future__ import annotations

from sqlalchemy import select

from indexer.models import DeadLetter
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings, Limit
from market_cli.commands.indexer.database import opened
from market_cli.output import table
from market_cli.session import CliSession

SHOWN = ("signature", "instruction_index", "inner_index", "slot", "error", "detail")


@acting
async def dead_letters(session: CliSession, settings: IndexSettings, limit: Limit = 100) -> None:
    """Show events that could not be read. After an update that can read them, run `gpu-market indexer rebuild`."""
    async with opened(settings) as engine:
        with engine.connect() as connection:
            wanted = select(*(DeadLetter.c[name] for name in SHOWN)).order_by(DeadLetter.c.slot).limit(limit)
            found = [dict(row) for row in connection.execute(wanted).mappings()]
    rows = table("slot", "transaction", "why", numbers=("slot",))
    for letter in found:
        rows.add_row(str(letter["slot"]), letter["signature"], f"{letter['error']}: {letter['detail']}")
    session.out.rows(found, rows, none="No unreadable events.")
