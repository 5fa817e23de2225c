"""Removes checks from the code, one at a time, and expects the tests named for each to fail.

The list is docs/mutations.toml. Works in a copy of the checkout, where the tests must pass before anything is changed.
Every test named for a mutation must fail in its own steps, not during setup. A mutation that does not build, or whose
tests cannot run, is an error and shows nothing. Needs what `make program` needs.
Exits 0 if every mutation is caught, 1 if one is not, 2 if none could be judged.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType

from .copy import working_copy
from .failure import Failure
from .judge import Result, Verdict, judge_all
from .listed import Mutation, chosen, mutations, require_one_place

INTERRUPTED = 130


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wanted", nargs="*", metavar="INVARIANT | NAME", help="only these ids or names")
    parser.add_argument("--list", action="store_true", help="print the list and stop")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write results to this file as they come")
    options = parser.parse_args()
    try:
        found = chosen(mutations(), options.wanted)
        if options.list:
            for each in found:
                print(f"{each.invariant:6}  {each.name}")
            return 0
        require_one_place(found)
        return show(found, options.json)
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED


def show(found: Sequence[Mutation], report: Path | None) -> int:
    """Prints and writes each verdict; returns the exit code."""
    started = time.monotonic()
    results: list[Result] = []
    with working_copy() as copy:
        for result in judge_all(found, copy):
            results.append(result)
            place = f"{len(results):3}/{len(found)}"
            print(f"{place}  {result.verdict:9}  {result.invariant:6}  {result.name}  {result.seconds} s")
            if result.detail:
                print(f"    {result.detail}")
            sys.stdout.flush()
            if report is not None:
                report.write_text(json.dumps([asdict(each) for each in results], indent=2) + "\n")
    caught = sum(result.verdict is Verdict.CAUGHT for result in results)
    print(f"{caught} of {len(results)} mutations caught in {time.monotonic() - started:.0f} s")
    return 0 if caught == len(results) else 1


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
