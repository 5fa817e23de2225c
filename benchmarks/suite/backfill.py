"""Transactions a second through RPC, from a node in another process that serves what was recorded in this run.

Timed is getSignaturesForAddress back to the first transaction, getTransaction of each, and reading the answers; and
then the same into SQLite, as an index that begins anew does it.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.json_rpc import JsonRpc
from benchmarks.figures import Figure, Progress, Report, at_least
from benchmarks.load.process import serving
from benchmarks.load.rounds import begin_round, end_round
from benchmarks.load.world import open_world
from indexer.database import migrate, open_database
from indexer.ingest import ingest
from indexer.sources.history import History

PARTIES: Final = 100
ROUNDS: Final = 3
CONCURRENCY: Final = 64
TARGET: Final = 1_500
LAST_SLOT: Final = 2**60


class BackfillIncomplete(RuntimeError):
    """Some transactions did not come."""


async def measure(progress: Progress) -> Report:
    """Records the lives of PARTIES x ROUNDS rentals, an instruction a transaction, and reads them back."""
    progress("recording transactions")
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "transactions.jsonl"
        answers = await _record()
        recorded = len(answers)
        await asyncio.to_thread(file.write_bytes, b"\n".join(map(msgspec.json.encode, answers)))
        gc.collect()
        async with serving("-m", "benchmarks.load.backfill_node", str(file)) as server:
            progress(f"reading {recorded:,} transactions")
            reading = await _read(server.ready["rpc"], recorded)
            progress("reading them into SQLite")
            indexing = await _index(server.ready["rpc"], recorded, Path(directory) / "index.db")
    return Report(
        [
            Figure(f"transactions read, {CONCURRENCY} at once", recorded / reading, "/s", at_least(TARGET)),
            Figure("transactions read and indexed", recorded / indexing, "/s"),
            Figure("transactions recorded", recorded, "transactions"),
        ]
    )


async def _record() -> list[dict[str, Any]]:
    async with open_world() as (world, recording):
        parties = [world.party() for _ in range(PARTIES)]
        for _ in range(ROUNDS):
            await begin_round(world, parties)
            await end_round(world, parties)
        return recording.take()


async def _read(url: str, recorded: int) -> float:
    async with _source(url) as source:
        begun = time.perf_counter()
        read = sum([len(batch) async for batch in source.read(None, LAST_SLOT)])
        seconds = time.perf_counter() - begun
    _require(read, recorded)
    return seconds


async def _index(url: str, recorded: int, file: Path) -> float:
    engine = open_database(f"sqlite:///{file}")
    try:
        migrate(engine)
        async with _source(url) as source:
            begun, read = time.perf_counter(), 0
            async for batch in source.read(None, LAST_SLOT):
                await asyncio.to_thread(ingest, batch, engine)
                read += len(batch)
            seconds = time.perf_counter() - begun
    finally:
        engine.dispose()
    _require(read, recorded)
    return seconds


@asynccontextmanager
async def _source(url: str) -> AsyncIterator[History]:
    async with JsonRpc(url) as rpc:
        yield History(rpc, str(PROGRAM_ID), concurrency=CONCURRENCY)


def _require(read: int, recorded: int) -> None:
    if read != recorded:
        raise BackfillIncomplete(f"{read} of {recorded} transactions came")
