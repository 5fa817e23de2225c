"""Repeats tests while other work keeps every core busy, and prints how many of how many failed.

Usage: python -m scripts.flaky PATH... [-n TIMES] [--load PROCESSES] [pytest's own options]
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

CERTAINTY = 0.95
BUSY = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
"""Keeps a core busy while the process with a number is its parent: it ends with a run that is killed."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-n", "--times", type=int, default=20, help="how often each test runs (default: 20)")
    options.add_argument(
        "--load", type=int, default=os.cpu_count() or 1, help="busy processes beside it (default: one a core)"
    )
    given, pytest = options.parse_known_args()
    if not any(Path(each.partition("::")[0]).exists() for each in pytest):
        options.error("name the tests to repeat, as pytest takes them: tests/keeper/test_service.py")
    runs = Counter[str]()
    failures = Counter[str]()
    try:
        with busy(given.load):
            for turn in range(1, given.times + 1):
                told, failed = repeat(pytest)
                runs.update(told)
                failures.update(failed)
                print(f"{turn} of {given.times}: {len(failed)} of {len(told)} failed", *failed, flush=True)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    print(table(runs, failures))
    sys.exit(1 if failures or not runs else 0)


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keeps cores busy at the tests' own priority until the block ends."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY, str(os.getpid())]) for _ in range(processes)]
    try:
        yield
    finally:
        for each in started:
            each.kill()
            each.wait()


def repeat(pytest: list[str]) -> tuple[list[str], list[str]]:
    """Runs the tests once; returns the ids of those that ran, and of those that failed. Prints what failed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--no-header", f"--junitxml={report}", *pytest]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not report.exists():
            sys.exit(done.stdout + done.stderr)
        cases = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    if failed:
        print(done.stdout, flush=True)
    return [identity(case) for case in cases], [identity(case) for case in failed]


def identity(case: ElementTree.Element) -> str:
    """Name of a test in a JUnit report."""
    return f"{case.get('classname')}::{case.get('name')}"


def bound(failed: int, times: int) -> float:
    """Upper limit of the chance to fail after a number of failures, by Clopper and Pearson."""
    low = failed / times
    high = 1.0
    for _ in range(60):
        middle = (low + high) / 2
        seen = sum(math.comb(times, k) * middle**k * (1 - middle) ** (times - k) for k in range(failed + 1))
        low, high = (middle, high) if seen > 1 - CERTAINTY else (low, middle)
    return high


def table(runs: Counter[str], failures: Counter[str]) -> str:
    """A line for each test that failed, and one for all others together."""
    lines = [f"{name}: {failures[name]} of {runs[name]} failed" for name in sorted(failures)]
    steady = [times for name, times in runs.items() if name not in failures]
    if steady:
        share = bound(0, min(steady))
        lines.append(
            f"{len(steady)} tests: 0 of {min(steady)} failed, each fails at most {share:.1%} of the time "
            f"({CERTAINTY:.0%} certainty)"
        )
    return "\n".join(lines) or "no test ran"


if __name__ == "__main__":
    main()
