"""`gpu-market indexer export`."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from indexer.export import export as exports
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings
from market_cli.commands.indexer.database import opened
from market_cli.session import CliSession

EVENTS_A_FILE = 250_000
SAID_EVENTS = 50_000
"""Events between two lines of progress."""


@acting
async def export(
    session: CliSession,
    settings: IndexSettings,
    folder: Annotated[Path, typer.Option("--parquet", metavar="FOLDER", help="Folder of the Parquet files.")],
    check: Annotated[bool, typer.Option("--check", help="Compare its files with the index; add nothing.")] = False,
    events_a_file: Annotated[
        int, typer.Option("--events-a-file", help="Events in each file of a new folder.", min=1)
    ] = EVENTS_A_FILE,
) -> None:
    """Copy every final event to Parquet files, which DuckDB and others read.

    The next run adds what is new. Each file is read back and compared by hash, and all together by count.
    """
    act = exports.check if check else partial(exports.export, events_a_file=events_a_file)
    stopped = threading.Event()

    def told(events: int) -> None:
        if stopped.is_set():
            raise asyncio.CancelledError
        if events % SAID_EVENTS == 0:
            session.out.note(f"{events:,} events …")

    async with opened(settings) as engine:
        try:
            held = await asyncio.to_thread(act, engine, folder, told)
        finally:
            # Ctrl-C ends this wait; the thread must end too, between two pages.
            stopped.set()
    session.out.show(
        {"folder": str(folder), "files": len(held.parts), "events": held.events, "last": held.last},
        f"{folder} holds {held.events:,} events in {len(held.parts)} files, and they are those of the index.",
    )
