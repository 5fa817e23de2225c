"""Transactions a second through RPC and through a stream, from servers that have what was recorded in this run.

Timed is getSignaturesForAddress back to the first transaction, getTransaction of each, and reading the answers; then
the same into SQLite, as an index that starts over does it; and then both for a stream of blocks, as one that follows.
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
from anchor_client.solana.json_rpc import JsonRpc
from anchor_client.solana.yellowstone.generated.geyser_pb2 import SubscribeUpdate
from benchmarks.figures import Figure, Progress, Report, at_least
from benchmarks.load.process import serving
from benchmarks.load.rounds import begin_round, end_round
from benchmarks.load.stream_node import written
from benchmarks.load.world import open_world
from indexer.index.ingest import BATCH, ingest
from indexer.index.sources.grpc.stream import BlockStream
from indexer.index.sources.history import History
from indexer.index.transaction import Transaction
from indexer.store.database import migrate, open_database

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
        stream = Path(directory) / "updates"
        answers, updates = await _record()
        recorded = len(answers)
        await asyncio.to_thread(file.write_bytes, b"\n".join(map(msgspec.json.encode, answers)))
        await asyncio.to_thread(stream.write_bytes, written(updates))
        del answers, updates
        gc.collect()
        async with serving("-m", "benchmarks.load.backfill_node", str(file)) as server:
            progress(f"reading {recorded:,} transactions")
            reading = await _read(server.ready["rpc"], recorded)
            progress("reading them into SQLite")
            indexing = await _index(server.ready["rpc"], recorded, Path(directory) / "index.db")
        async with serving("-m", "benchmarks.load.stream_node", str(stream)) as server:
            progress(f"streaming {recorded:,} transactions")
            streaming = await _stream(server.ready["grpc"], recorded, None)
            progress("streaming them into SQLite")
            following = await _stream(server.ready["grpc"], recorded, Path(directory) / "followed.db")
    return Report(
        [
            Figure(f"transactions read, {CONCURRENCY} at once", recorded / reading, "/s", at_least(TARGET)),
            Figure("transactions read and indexed", recorded / indexing, "/s"),
            Figure("transactions streamed", recorded / streaming, "/s"),
            Figure("transactions streamed and indexed", recorded / following, "/s"),
            Figure("transactions recorded", recorded, "transactions"),
        ]
    )


async def _record() -> tuple[list[dict[str, Any]], list[SubscribeUpdate]]:
    async with open_world() as (world, recording):
        parties = [world.party() for _ in range(PARTIES)]
        for _ in range(ROUNDS):
            await begin_round(world, parties)
            await end_round(world, parties)
        return recording.take_both()


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
            begun = time.perf_counter()
            read = 0
            async for batch in source.read(None, LAST_SLOT):
                await asyncio.to_thread(ingest, batch, engine)
                read += len(batch)
            seconds = time.perf_counter() - begun
    finally:
        engine.dispose()
    _require(read, recorded)
    return seconds


async def _stream(url: str, recorded: int, file: Path | None) -> float:
    """Seconds until all have come, and are in a database if there is one."""
    engine = open_database(f"sqlite:///{file or ':memory:'}")
    try:
        migrate(engine)
        begun = time.perf_counter()
        read = 0
        waiting: list[Transaction] = []
        async for block in BlockStream(url, None, str(PROGRAM_ID), "finalized").blocks(None):
            waiting += block.transactions
            read += len(block.transactions)
            if file is not None and (len(waiting) >= BATCH or read == recorded):
                await asyncio.to_thread(ingest, waiting, engine)
                waiting = []
            if read == recorded:
                return time.perf_counter() - begun
    finally:
        engine.dispose()
    raise BackfillIncomplete(f"{read} of {recorded} transactions came")


@asynccontextmanager
async def _source(url: str) -> AsyncIterator[History]:
    async with JsonRpc(url) as rpc:
        yield History(rpc, str(PROGRAM_ID), concurrency=CONCURRENCY)


def _require(read: int, recorded: int) -> None:
    if read != recorded:
        raise BackfillIncomplete(f"{read} of {recorded} transactions came")
