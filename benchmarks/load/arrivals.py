"""`python -m benchmarks.load.arrivals`: events that come into an index at an even rate, in a process of its own.

It reads an Arrivals as JSON from standard input, ingests what a slot has in one SQL transaction after the other, as the
process that follows a chain does, and says how far it has fallen behind, in seconds, once its time is over.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from anchor_client.solana.slots import USUAL_SLOT_SECONDS
from benchmarks.load.process import ROOT
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction
from indexer.store.database import open_database


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Pickled transactions of an event each, and how many a second are ingested."""

    database_url: str
    file: str
    rate: float


async def arriving(arrivals: Arrivals) -> float:
    """Ingests them from a child process; how many seconds it was late in the end. Raises RuntimeError when it fails."""
    arguments = ("-m", "benchmarks.load.arrivals")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    output, errors = await process.communicate(json.dumps(asdict(arrivals)).encode())
    if process.returncode != 0:
        raise RuntimeError(f"ingesting failed: {errors.decode(errors='replace')}")
    return float(json.loads(output))


def slots_of(transactions: Sequence[Transaction], rate: float) -> Iterator[Sequence[Transaction]]:
    """Transactions by the slot that they arrive in."""
    many = round(rate * USUAL_SLOT_SECONDS)
    return (transactions[start : start + many] for start in range(0, len(transactions), many))


def arrive(
    slots: Iterable[Sequence[Transaction]],
    take: Callable[[Sequence[Transaction]], object],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> float:
    """Hands over each slot's transactions once they are due; returns how many seconds late the last were taken.

    A machine that falls behind gets the next ones at once, and all of them.
    """
    begun = clock()
    late = 0.0
    for number, slot in enumerate(slots):
        due = begun + number * USUAL_SLOT_SECONDS
        sleep(max(0.0, due - clock()))
        take(slot)
        late = clock() - due
    return late


def main() -> None:
    """The child process."""
    arrivals = Arrivals(**json.load(sys.stdin))
    transactions: list[Transaction] = pickle.loads(Path(arrivals.file).read_bytes())
    engine = open_database(arrivals.database_url)
    late = arrive(slots_of(transactions, arrivals.rate), lambda slot: ingest(slot, engine))
    engine.dispose()
    print(json.dumps(late))


if __name__ == "__main__":
    main()
