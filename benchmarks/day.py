"""`python -m benchmarks.day`: a whole day of a market in some minutes, and what it takes.

A cluster of 200 ms slots, PostgreSQL, an indexer, two replicas of the API behind a load balancer, a keeper, the seeded
market's hosts and oracle, renters, and readers of the API; all but the last three in processes of their own. The
cluster's clock jumps ahead step by step; in between everything happens as it would. Hosts and oracle speak up at each
step. Exit code 1 if the index does not agree with the chain in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import structlog
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from benchmarks.load.day import Day, Told, living
from benchmarks.load.process import GPU_MARKET
from benchmarks.machine import BenchmarkMachine
from indexer.store.database import open_database

MB: Final = 10**6


async def measure(options: argparse.Namespace, told: Told) -> dict[str, Any]:
    """Runs the day; what it took."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        async with living(Path(folder), slot_ms=options.slot_ms, rate=options.rate) as day:
            told(f"running after {time.monotonic() - begun:.0f} s")
            before = await day.balances()
            started = time.monotonic()
            await day.live(options.hours, options.step, options.pace, told)
            lasted = time.monotonic() - started
            after = await day.balances()
            verified = await _command(day, "indexer", "verify")
            gaps = await _command(day, "indexer", "gaps")
            transactions, ends = await asyncio.to_thread(_indexed, day.database_url)
    first = day.samples[0]
    last = day.samples[-1]
    return {
        "machine": asdict(BenchmarkMachine.here()),
        "hours": options.hours,
        "seconds": round(lasted, 1),
        "rentals": day.renters.opened,
        "stopped": day.renters.stopped,
        "refused": dict(day.renters.refused),
        "reads": len(day.reads),
        "failed_reads": day.failed_reads,
        "read_p95_ms": round(1_000 * sorted(day.reads)[int(len(day.reads) * 0.95)], 1),
        "ends": ends,
        "transactions": transactions,
        "agrees": verified["agrees"],
        "gaps": len(gaps),
        "processor_seconds": {
            name: round(last.processor_seconds[name] - first.processor_seconds[name], 2)
            for name in last.processor_seconds
        },
        "resident_mb": {
            name: [round(each.resident_bytes[name] / MB) for each in (first, last)] for name in last.resident_bytes
        },
        "most_resident_mb": {
            name: round(max(each.resident_bytes[name] for each in day.samples) / MB) for name in last.resident_bytes
        },
        "disk_mb": {name: [round(each.disk_bytes[name] / MB, 1) for each in (first, last)] for name in last.disk_bytes},
        "lamports": {kind: after[kind] - before[kind] for kind in before},
    }


def _indexed(database_url: str) -> tuple[int, dict[str, int]]:
    """The program's transactions that the index holds, and why rentals have ended."""
    engine = open_database(database_url)
    try:
        with engine.connect() as connection:
            transactions = connection.execute(text("SELECT count(DISTINCT signature) FROM raw_event")).scalar_one()
            ends = connection.execute(text("SELECT close_reason, count(*) FROM rental GROUP BY close_reason"))
            return int(transactions), {reason or "runs": int(count) for reason, count in ends}
    finally:
        engine.dispose()


async def _command(day: Day, *arguments: str) -> Any:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *GPU_MARKET, *arguments, "--json"),
        env=dict(day.services.environment),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return json.loads(out)


def _print(found: dict[str, Any], console: Console) -> None:
    services = Table(
        "service", "processor s", "memory MB, first", "last", "most", title=f"{found['hours']:g} hours of market"
    )
    for name, seconds in found["processor_seconds"].items():
        resident = found["resident_mb"][name]
        services.add_row(
            name, f"{seconds:,.1f}", f"{resident[0]}", f"{resident[1]}", f"{found['most_resident_mb'][name]}"
        )
    console.print(services)
    others = Table("", "", title="besides")
    for name, (first, last) in found["disk_mb"].items():
        others.add_row(f"disk of {name}", f"{first:,.1f} MB, then {last:,.1f} MB")
    for kind, lamports in found["lamports"].items():
        others.add_row(f"lamports of {kind}", f"{lamports:+,}")
    for name in (
        "seconds",
        "rentals",
        "stopped",
        "ends",
        "refused",
        "transactions",
        "reads",
        "failed_reads",
        "read_p95_ms",
        "agrees",
        "gaps",
    ):
        others.add_row(name, str(found[name]))
    console.print(others)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the day; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.day", description="A day of market, and what it takes.")
    parser.add_argument("--hours", type=float, default=24, help="of the market's time")
    parser.add_argument("--step", type=int, default=300, help="seconds that the cluster's clock jumps at a time")
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between two jumps, at least")
    parser.add_argument("--rate", type=float, default=15, help="rentals an hour")
    parser.add_argument("--slot-ms", type=int, default=200, help="length of a slot in milliseconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    log = Console(stderr=True)
    found = asyncio.run(measure(options, lambda what: log.print(what, markup=False, highlight=False)))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    _print(found, Console())
    return 0 if found["agrees"] and not found["gaps"] else 1


if __name__ == "__main__":
    sys.exit(main())
