"""`gpu-market indexer rebuild`."""

from __future__ import annotations

import asyncio

from indexer.index import rebuild as projections
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings
from market_cli.commands.indexer.database import opened
from market_cli.session import CliSession


@acting
async def rebuild(session: CliSession, settings: IndexSettings) -> None:
    """Rebuild every table from the raw events. Readers see the old tables until the new ones are complete."""
    async with opened(settings) as engine:
        session.out.note("Replaying raw events …")
        replayed = await asyncio.to_thread(projections.rebuild, engine)
    session.out.show({"events": replayed}, f"Rebuilt every table from {replayed:,} events.")
