"""Runs benchmarks one after another, so that none disturbs another."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from benchmarks.figures import CutOff, Progress, reason_of
from benchmarks.machine import BenchmarkMachine
from benchmarks.registry import Benchmark
from benchmarks.results import BenchmarkOutcome, Run

Kept = Callable[[Run], object]


async def run_all(benchmarks: Sequence[Benchmark], progress: Progress, kept: Kept = lambda run: None) -> Run:
    """Runs each; one that fails is reported as such and stops no other. `kept` gets what there is after each, and the
    finished parts of one that is cut off.
    """
    outcomes: list[BenchmarkOutcome] = []
    load_average = os.getloadavg()[0]
    run = Run(BenchmarkMachine.here(), datetime.now(UTC), load_average, outcomes)
    for benchmark in benchmarks:
        begun = time.monotonic()
        try:
            outcomes.append(await _run(benchmark, progress))
        except CutOff as cut:
            outcomes.append(BenchmarkOutcome(benchmark, time.monotonic() - begun, cut.report, cut.report.failure))
            kept(run)
            raise
        kept(run)
    return run


async def _run(benchmark: Benchmark, progress: Progress) -> BenchmarkOutcome:
    begun = time.monotonic()
    try:
        report = await benchmark.measure(lambda what: progress(f"{benchmark.name}: {what}"))
    except Exception as error:
        progress(f"{benchmark.name}: failed\n{traceback.format_exc()}")
        return BenchmarkOutcome(benchmark, time.monotonic() - begun, failure=reason_of(error))
    return BenchmarkOutcome(benchmark, time.monotonic() - begun, report, report.failure)
