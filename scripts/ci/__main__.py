"""Runs the steps of `.ci/run`, as many at a time as the machine has room for.

Usage: python3 -m scripts.ci [--list] [--logs DIR] [STEP...]
With names, only these run, without what they come after.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path

from . import report, unchanged
from .running import ROOT, EndedStep, RunningStep
from .steps import STEPS, CiStep

LOOK_SECONDS = 0.2
SPARE = 40
"""Percent of a core beyond the machine's: what computes also waits a little."""
told: list[int] = []
"""Signals that stop the run."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--list", action="store_true", help="list the steps")
    options.add_argument("--logs", type=Path, default=ROOT / "build/ci", help="folder of the logs (default: build/ci)")
    options.add_argument("steps", nargs="*", metavar="STEP", help="default: all")
    given = options.parse_args()
    unknown = set(given.steps) - {step.name for step in STEPS}
    if unknown:
        options.error(f"no such step: {', '.join(sorted(unknown))} (see --list)")
    if given.list:
        print("\n".join(f"{step.name:18} {step.command}" for step in STEPS))
        return
    if given.steps:
        steps = [step for step in STEPS if step.name in given.steps]
    else:
        steps = list(STEPS)
    for step in [each for each in steps if unchanged.has_passed(each, ROOT)]:
        steps.remove(step)
        print(f"         {step.name}: passed before on the same inputs", flush=True)
    heed_signals()
    shutil.rmtree(given.logs, ignore_errors=True)
    sys.exit(run(steps, given.logs))


def heed_signals() -> None:
    """Makes SIGINT and SIGTERM stop the run: a shell in the background has its children ignore Ctrl-C.

    They do so between two looks: an exception while a step starts would leave it running, unknown to the run.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: told.append(number))


def run(waiting: list[CiStep], logs: Path) -> int:
    """Runs steps to their end; returns the exit status."""
    began = time.monotonic()
    names = {step.name for step in waiting}
    running: list[RunningStep] = []
    done: list[EndedStep] = []
    try:
        while waiting or running:
            for step in startable(waiting, running, done, names):
                waiting.remove(step)
                running.append(RunningStep(step, logs))
                print(f"{time.monotonic() - began:6.0f} s  {step.name}: started", flush=True)
            for each in list(running):
                if (ended := each.ended()) is not None:
                    running.remove(each)
                    done.append(ended)
                    print(f"{time.monotonic() - began:6.0f} s  {report.ended(ended)}", flush=True)
                    if ended.status == 0:
                        unchanged.note(ended.step, ROOT)
                    else:
                        waiting[:] = [step for step in waiting if ended.step.name not in step.after]
            if told:
                raise KeyboardInterrupt
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        stop(running)
        print("stopped", file=sys.stderr)
        return 130
    print(report.summary(done, began))
    failed = [ended for ended in done if ended.status != 0]
    closing = [line for ended in done if (line := report.closing_line(ended)) is not None]
    if closing and not failed:
        print(closing[-1])
    return 1 if failed else 0


def startable(
    waiting: list[CiStep], running: list[RunningStep], done: list[EndedStep], names: set[str]
) -> list[CiStep]:
    """The steps that may start now: what they come after has passed, and there is room for them."""
    passed = {ended.step.name for ended in done if ended.status == 0}
    room = 100 * (os.cpu_count() or 1) + SPARE - sum(each.step.load for each in running)
    found: list[CiStep] = []
    for step in waiting:
        ready = all(name in passed or name not in names for name in step.after)
        if ready and (step.load <= room or not (running or found)):
            found.append(step)
            room -= step.load
    return found


def stop(running: list[RunningStep]) -> None:
    """Ends what runs, first as Ctrl-C does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + 20
        for each in running:
            each.stop(number)
        while running and time.monotonic() < until:
            running[:] = [each for each in running if each.ended() is None]
            time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    main()
