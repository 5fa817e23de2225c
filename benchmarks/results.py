"""results.json: one run on one machine.

A row that was added from another run, before the next run of all, says in `measured` when and on what machine that was;
`loop_measured` says so of the loop.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Report
from benchmarks.machine import BenchmarkMachine
from benchmarks.registry import Benchmark

RESULTS = Path(__file__).parent / "results.json"


@dataclass(frozen=True, slots=True)
class BenchmarkOutcome:
    """A benchmark's report, and why it or a part of it is missing; `seconds` is how long it took."""

    benchmark: Benchmark
    seconds: float
    report: Report | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that one run found."""

    machine: BenchmarkMachine
    begun_at: datetime
    load_average: float
    """Of the minute before it began: figures that depend on time are only good on an idle machine."""
    outcomes: Sequence[BenchmarkOutcome]

    @property
    def failed(self) -> bool:
        """True where a benchmark could not be run."""
        return any(outcome.failure is not None for outcome in self.outcomes)

    def as_json(self) -> dict[str, Any]:
        """The run as it is kept."""
        return {
            "machine": asdict(self.machine),
            "date": self.begun_at.isoformat(timespec="seconds"),
            "load_average": round(self.load_average, 2),
            "benchmarks": {outcome.benchmark.name: _outcome(outcome) for outcome in self.outcomes},
        }

    def write(self, path: Path) -> None:
        """Replaces the file."""
        path.write_text(json.dumps(self.as_json(), indent=2, ensure_ascii=False) + "\n")


def _outcome(outcome: BenchmarkOutcome) -> dict[str, Any]:
    kept: dict[str, Any] = {"title": outcome.benchmark.title, "seconds": round(outcome.seconds, 1)}
    if outcome.failure is not None:
        kept["failure"] = outcome.failure
    if outcome.report is None:
        return kept
    kept["figures"] = [_figure(figure) for figure in outcome.report.figures]
    if outcome.report.details:
        kept["details"] = [dict(row) for row in outcome.report.details]
    return kept


def _figure(figure: Figure) -> dict[str, Any]:
    kept: dict[str, Any] = {"name": figure.name, "value": figure.value, "unit": figure.unit}
    if figure.target is not None:
        kept |= {"target": f"{figure.target.sense} {figure.target.bound}", "met": figure.met}
    return kept
