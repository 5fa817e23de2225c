"""The benchmarks by name."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from benchmarks.figures import Progress, Report

Measure = Callable[[Progress], Awaitable[Report]]


class UnknownBenchmark(ValueError):
    """No benchmark has this name."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A module of `benchmarks.suite`, imported when it is run."""

    name: str
    title: str

    async def measure(self, progress: Progress) -> Report:
        """Runs it. Raises whatever stands in its way."""
        measure: Measure = importlib.import_module(f"benchmarks.suite.{self.name}").measure
        return await measure(progress)


BENCHMARKS = (
    Benchmark("program", "Compute units and lamports of every instruction"),
    Benchmark("indexer", "Events from recorded transactions into SQLite"),
    Benchmark("growth", "The rate of an index that grows to a million events"),
    Benchmark("rebuild", "Every table of an index made anew while others read and write"),
    Benchmark("backfill", "Recorded transactions read from a node over HTTP, and from a stream"),
    Benchmark("keeper", "Ending expired rentals of distinct parties, 240 and 5,000 at once, and racing for them"),
    Benchmark("api", "Reads of an index of a million rentals, also while 1,000 events a second come in"),
    Benchmark("feed", "1,000 WebSocket clients of the feed at once, over SQLite and PostgreSQL"),
    Benchmark("attack", "What others notice while somebody uses up what all share"),
    Benchmark("replays", "Reads while 48 clients of the feed replay all that they can"),
    Benchmark("localnet", "The embedded cluster"),
    Benchmark("up", "The whole stack in one command"),
    Benchmark("start", "Commands until they show their help, miss their market, or have rented"),
)


def select(names: Sequence[str]) -> Sequence[Benchmark]:
    """The benchmarks of these names in the order of the registry; all of them for no names. UnknownBenchmark."""
    known = {benchmark.name for benchmark in BENCHMARKS}
    for name in names:
        if name not in known:
            raise UnknownBenchmark(f"no benchmark is called {name}; there are {', '.join(sorted(known))}")
    return [benchmark for benchmark in BENCHMARKS if not names or benchmark.name in names]
