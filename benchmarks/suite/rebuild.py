"""A rebuild of every table of an index, and what readers, writers and starting replicas notice.

REBUILD_RENTALS says of how many rentals; without it, 200,000. REBUILD_DATABASE=sqlite measures SQLite instead of
PostgreSQL. The rebuild runs in a process of its own; those that notice it in another. A reader's time counts from when
it was due. On a busy machine each time has waits for a processor in it: those of the swap are told apart.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.figures import Figure, Progress, Report, at_least, at_most
from benchmarks.load.continuation import endless, recorded
from benchmarks.load.postgres import postgres
from benchmarks.load.process import ROOT
from benchmarks.load.reads import TABLE, TURN
from benchmarks.percentiles import percentile
from indexer.accounts.database import migrate_accounts
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction
from indexer.store.database import migrate, open_database

RENTALS: Final = int(os.environ.get("REBUILD_RENTALS", "200000"))
ON_SQLITE: Final = os.environ.get("REBUILD_DATABASE") == "sqlite"
PARTIES: Final = 250
RECORDED: Final = 3
CALM_SECONDS: Final = 10
MOST_WAIT_MS: Final = 100
MOST_P99_MS: Final = 250


async def measure(progress: Progress) -> Report:
    """Indexes the rentals, and rebuilds them while others read and write."""
    progress("recording transactions")
    rounds = await recorded(PARTIES, RECORDED)
    with _sqlite() if ON_SQLITE else postgres() as url:
        await asyncio.to_thread(_index, url, rounds, progress)
        progress("reading, without a rebuild")
        with _reading(url) as told:
            await asyncio.sleep(CALM_SECONDS)
        calm = told
        progress("rebuilding")
        began = time.monotonic()
        with _reading(url) as told:
            rebuilt = await asyncio.to_thread(_rebuild, url)
        seconds = time.monotonic() - began
    rows = [_row(name, calm["taken"][name], told["taken"][name]) for name in told["taken"]]
    reads = [*told["taken"]["by address"], *told["taken"]["by page"]]
    swap = rebuilt["swaps"][-1]
    # SQLite tells of no locks. Its readers wait for none, and a writer's turn is the wait for it and a short write.
    waited = (
        {"a writer's turn, with its write": max(told["taken"]["write"])}
        if ON_SQLITE
        else {"a table": told["longest_wait"][TABLE], "the turn to write": told["longest_wait"][TURN]}
    )
    waits = [Figure(f"longest wait for {what}", each, "ms", at_most(MOST_WAIT_MS)) for what, each in waited.items()]
    return Report(
        [
            Figure("rentals", RENTALS, "rentals", at_least(200_000)),
            Figure("events rebuilt", rebuilt["events"], "events"),
            Figure("events rebuilt a second", rebuilt["events"] / seconds, "/s"),
            *waits,
            Figure("attempts to swap", len(rebuilt["swaps"]), "attempts"),
            Figure("the swap", swap["took"], "ms"),
            Figure("the swap, at work", swap["ran"], "ms"),
            Figure("the swap, waiting for a processor", swap["delayed"], "ms"),
            Figure("reads meanwhile, p99", percentile(reads, 99), "ms", at_most(MOST_P99_MS)),
            Figure("reads meanwhile, longest", max(reads), "ms"),
            Figure("a writer's turn meanwhile, longest", max(told["taken"]["write"]), "ms"),
            Figure("migrations of a replica that starts meanwhile, longest", max(told["taken"]["start"]), "ms"),
        ],
        rows,
    )


def _row(name: str, calm: list[float], busy: list[float]) -> dict[str, str | float]:
    row: dict[str, str | float] = {"act": name, "times": len(busy)}
    for when, taken in (("calm", calm), ("meanwhile", busy)):
        row |= {f"{when}_p50_ms": percentile(taken, 50), f"{when}_p99_ms": percentile(taken, 99)}
    return row | {"meanwhile_longest_ms": max(busy)}


def _index(url: str, rounds: list[list[Transaction]], progress: Progress) -> None:
    engine = open_database(url)
    migrate(engine)
    migrate_accounts(engine)
    rentals = 0
    for transactions in endless(rounds):
        ingest(transactions, engine)
        rentals += PARTIES
        if rentals % (PARTIES * 40) == 0:
            progress(f"{rentals:,} rentals")
        if rentals >= RENTALS:
            break
    engine.dispose()


@contextmanager
def _reading(url: str) -> Iterator[dict[str, Any]]:
    """Others read meanwhile; what they tell is there after the block."""
    told: dict[str, Any] = {}
    command = [sys.executable, "-m", "benchmarks.load.reads", url]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        yield told
        process.stdin.close()
        told |= json.loads(process.stdout.read())


def _rebuild(url: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.load.swaps", url]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    # Its logs come first.
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


@contextmanager
def _sqlite() -> Iterator[str]:
    with TemporaryDirectory() as folder:
        yield f"sqlite:///{Path(folder) / 'index.db'}"
