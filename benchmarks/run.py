"""Runs benchmarks one after another, so that none disturbs another."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime

from benchmarks.figures import Progress
from benchmarks.machine import BenchmarkMachine
from benchmarks.registry import Benchmark
from benchmarks.results import BenchmarkOutcome, Run


async def run_all(benchmarks: Sequence[Benchmark], progress: Progress) -> Run:
    """Runs each; one that fails is reported as such and stops no other."""
    begun_at = datetime.now(UTC)
    load_average = os.getloadavg()[0]
    outcomes = [await _run(benchmark, progress) for benchmark in benchmarks]
    return Run(BenchmarkMachine.here(), begun_at, load_average, outcomes)


async def _run(benchmark: Benchmark, progress: Progress) -> BenchmarkOutcome:
    begun = time.monotonic()
    try:
        report = await benchmark.measure(lambda what: progress(f"{benchmark.name}: {what}"))
    except Exception as error:
        progress(f"{benchmark.name}: failed\n{traceback.format_exc()}")
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        return BenchmarkOutcome(benchmark, time.monotonic() - begun, failure=reason)
    return BenchmarkOutcome(benchmark, time.monotonic() - begun, report)
