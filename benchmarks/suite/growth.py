"""Events per second into SQLite while the index grows to a million events.

Recorded rounds of rentals are continued; timed is what `indexer` times, from transactions to the committed tables.
The rate of the last tenth is held against that of the first, when the database was empty.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from sqlalchemy import Engine

from benchmarks.figures import Figure, Progress, Report, Row, at_least
from benchmarks.load.continuation import endless, recorded
from benchmarks.load.fresh import fresh_index
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction

PARTIES: Final = 250
RECORDED: Final = 3
EVENTS: Final = 1_000_000
PARTS: Final = 10
MOST_CHANGE: Final = 15


async def measure(progress: Progress) -> Report:
    """Ingests round after round; a row for each tenth of the events."""
    progress("recording transactions")
    rounds = await recorded(PARTIES, RECORDED)
    with fresh_index() as engine:
        rows = await asyncio.to_thread(_grow, rounds, engine, progress)
    rates = [float(row["events_a_second"]) for row in rows]
    change = (rates[-1] / rates[0] - 1) * 100
    return Report(
        [
            Figure("events ingested, first tenth", rates[0], "/s"),
            Figure("events ingested, last tenth", rates[-1], "/s"),
            Figure("change from the first to the last tenth", change, "%", at_least(-MOST_CHANGE)),
            Figure("events indexed", float(rows[-1]["events"]), "events", at_least(EVENTS)),
        ],
        rows,
    )


def _grow(rounds: list[list[Transaction]], engine: Engine, progress: Progress) -> list[Row]:
    following = endless(rounds)
    rows = list[Row]()
    events = 0
    for part in range(1, PARTS + 1):
        wall = processor = 0.0
        before = events
        while events < EVENTS * part // PARTS:
            transactions = next(following)
            begun = time.perf_counter()
            used = time.process_time()
            events += ingest(transactions, engine).events
            wall += time.perf_counter() - begun
            processor += time.process_time() - used
        taken = events - before
        progress(f"{events:,} events, {taken / wall:,.0f} a second")
        rows.append({"events": events, "events_a_second": taken / wall, "processor_us": processor / taken * 10**6})
    return rows
