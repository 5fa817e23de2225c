"""`python -m benchmarks [names...] [--json] [--output FILE]`.

A run of all benchmarks replaces results.json; a run of some writes only where --output says. Until it has ended, what
has been measured is in a file beside it, whose name ends in .partial: a run that is cut off prints and leaves that.
Exit code 0, or 1 when a benchmark could not be run, 2 for wrong usage, 130 when interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import structlog
from rich.console import Console

from benchmarks.registry import BENCHMARKS, UnknownBenchmark, select
from benchmarks.results import RESULTS, Run
from benchmarks.run import run_all
from benchmarks.table import print_run

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line names; gives the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        chosen = select(options.names)
    except UnknownBenchmark as error:
        parser.error(str(error))
    log = Console(stderr=True)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    output: Path | None = options.output or (None if options.names else RESULTS)
    # Of their own where some are named: what a run of all has left is still there.
    partial = output or RESULTS.with_name(f"{'-'.join(options.names)}.json")
    partial = partial.with_name(f"{partial.name}.partial")
    measured: list[Run] = []

    def keep(run: Run) -> None:
        measured[:] = [run]
        run.write(partial)

    def show(run: Run) -> None:
        if options.json:
            print(json.dumps(run.as_json(), ensure_ascii=False))
        else:
            print_run(run, Console())

    try:
        run = asyncio.run(run_all(chosen, lambda what: log.print(what, markup=False, highlight=False), keep))
    except (KeyboardInterrupt, asyncio.CancelledError):
        for run in measured:
            show(run)
        log.print(f"interrupted; what was measured is in {partial}" if measured else "interrupted; nothing is written")
        return INTERRUPTED
    if output is not None:
        run.write(output)
    partial.unlink(missing_ok=True)
    show(run)
    return 1 if run.failed else 0


def _parser() -> argparse.ArgumentParser:
    width = max(len(benchmark.name) for benchmark in BENCHMARKS)
    names = "\n".join(f"  {benchmark.name:{width}}  {benchmark.title}" for benchmark in BENCHMARKS)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Measures gpu-market on this machine.\n\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="benchmarks to run; all of them by default")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--output", type=Path, help="write the results here instead of benchmarks/results.json")
    return parser


if __name__ == "__main__":
    sys.exit(main())
