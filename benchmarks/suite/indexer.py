"""Events per second into SQLite, from transactions recorded in this run; and from raw events when tables are rebuilt.

Timed is everything from a node's parsed answers to the committed tables; fetching them is not, nor is walking the
recorded cluster in search of garbage, which no index has in its memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine

from benchmarks.figures import Figure, Progress, Report, at_least
from benchmarks.load.fresh import fresh_index
from benchmarks.load.rounds import begin_round, end_round, parties_of
from benchmarks.load.world import open_world
from indexer.index.ingest import Ingested, ingest
from indexer.index.rebuild import rebuild
from indexer.index.transaction import transaction_from_json

PARTIES = 250
ROUNDS = 5
TARGET = 3_000


class IndexIncomplete(RuntimeError):
    """The recorded transactions did not become a complete index."""


async def measure(progress: Progress) -> Report:
    """Records the lives of PARTIES x ROUNDS rentals, an instruction a transaction, and indexes them."""
    progress("recording transactions")
    answers = await _record()
    with fresh_index() as engine:
        progress(f"ingesting {len(answers):,} transactions")
        begun = time.perf_counter()
        ingested = await asyncio.to_thread(_ingest, answers, engine)
        ingesting = time.perf_counter() - begun
        _require_complete(ingested)
        progress(f"rebuilding from {ingested.events:,} events")
        begun = time.perf_counter()
        rebuilt = await asyncio.to_thread(rebuild, engine)
        rebuilding = time.perf_counter() - begun
    return Report(
        [
            Figure("events ingested", ingested.events / ingesting, "/s", at_least(TARGET)),
            Figure("events replayed by a rebuild", rebuilt / rebuilding, "/s"),
            Figure("events recorded", ingested.events, "events"),
        ]
    )


async def _record() -> list[dict[str, Any]]:
    async with open_world() as (world, recording):
        parties = await parties_of(world, PARTIES)
        for _ in range(ROUNDS):
            await begin_round(world, parties)
            await end_round(world, parties)
        return recording.take()


def _ingest(answers: Sequence[dict[str, Any]], engine: Engine) -> Ingested:
    return ingest((transaction_from_json(answer) for answer in answers), engine)


def _require_complete(ingested: Ingested) -> None:
    if ingested.gaps or ingested.dead_letters or ingested.late:
        raise IndexIncomplete(f"{ingested}")
