"""`gpu-market indexer gaps`."""

from __future__ import annotations

from dataclasses import asdict

from indexer.index.proof.gaps import known_gaps
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings, Limit
from market_cli.commands.indexer.database import opened
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def gaps(session: CliSession, settings: IndexSettings, limit: Limit = 100) -> None:
    """Show missing events, abandoned ones first."""
    async with opened(settings) as engine:
        with engine.connect() as connection:
            found = known_gaps(connection, limit)
    rows = table("of", "missing", "slots", "looked for", numbers=("missing", "slots", "looked for"))
    for gap in found:
        tried = f"{gap.attempts}, given up" if gap.given_up else str(gap.attempts)
        rows.add_row(f"{gap.kind} {gap.entity}", str(gap.found - gap.expected), f"{gap.since_slot}-{gap.slot}", tried)
    document = [asdict(gap) | {"given_up": gap.given_up} for gap in found]
    session.out.rows(document, rows, none="No events are missing.")
