"""Records of runs that take too long to be repeated as tests, and the tables of docs/assurance.md that show them.

Usage: python -m scripts.records [RUN FILE]. FILE is what a run wrote: with `--json`, or `--junitxml` where it is
pytest's. Adds its figures to docs/runs.json, with its day and the program that is here, and makes the tables again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

ROOT: Final = Path(__file__).parents[1]
RECORDS: Final = ROOT / "docs/runs.json"
PAGE: Final = ROOT / "docs/assurance.md"
PROGRAM: Final = ROOT / "localnet/program/gpu_market.so"


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A kind of run: its command, the reading of its file, and the words for its figures. `faults` counts findings."""

    title: str
    command: str
    read: Callable[[Path], dict[str, Any]]
    words: str


def of_pytest(file: Path) -> dict[str, Any]:
    """Tests, failures, seconds and the sum of each recorded property of a JUnit file."""
    suite = next(ElementTree.parse(file).getroot().iter("testsuite"))
    figures = {
        "tests": int(suite.attrib["tests"]) - int(suite.attrib["skipped"]),
        "faults": int(suite.attrib["failures"]) + int(suite.attrib["errors"]),
        "minutes": round(float(suite.attrib["time"]) / 60),
    }
    for each in suite.iter("property"):
        name = each.attrib["name"]
        figures[name] = figures.get(name, 0) + int(each.attrib["value"])
    return figures


def of_fuzzer(file: Path) -> dict[str, Any]:
    """Counts of the guided fuzzer, and faults of its runs and of the audit of the sequences that it kept."""
    told = json.loads(file.read_text())
    counts = {name: told[name] for name in ("sequences", "transactions", "audited")}
    faults = len(told["faults"]) + len(told["audit_faults"])
    return {**counts, "faults": faults, "minutes": round(told["seconds"] / 60)}


def of_replays(file: Path) -> dict[str, Any]:
    """Counts of the sequences replayed from each source, and from all."""
    sources = json.loads(file.read_text())
    counts = {name: sum(each[name] for each in sources.values()) for name in ("sequences", "transactions")}
    return {**counts, "faults": sum(each["differ"] for each in sources.values()), "sources": sources}


RUNS: Final = {
    "machine": RecordedRun(
        "State machine under the full audit",
        'make fuzz ARGS="-n 2 --junitxml=FILE"',
        of_pytest,
        "{actions:,} random actions by everyone, some tampered with, in {minutes} minutes",
    ),
    "guided": RecordedRun(
        "Fuzzing guided by coverage",
        'make fuzz-guided ARGS="--json FILE"',
        of_fuzzer,
        "{transactions:,} transactions in {minutes} minutes; {audited:,} kept sequences replayed under the full audit",
    ),
    "runtimes": RecordedRun(
        "Recorded transactions on the coming runtime",
        'make runtimes ARGS="--json FILE"',
        of_replays,
        "{sequences:,} sequences on three sets of features; the accounts compared after each of "
        "{transactions:,} transactions",
    ),
    "validator": RecordedRun(
        "Client, index, keeper and cluster on Agave 4.4.0, with accounts mapped",
        'AGAVE_VERSION=4.4.0 make test-validator ARGS="--junitxml=FILE"',
        of_pytest,
        "{tests} tests in {minutes} minutes",
    ),
}


def program() -> str:
    """SHA-256 of the committed program."""
    return sha256(PROGRAM.read_bytes()).hexdigest()


def recorded() -> dict[str, Any]:
    """The last record of each run."""
    return dict(json.loads(RECORDS.read_text()))


def record(name: str, file: Path) -> None:
    """Puts a run's figures in the place of its last ones."""
    day = datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
    now = {"on": day, "cores": os.cpu_count(), "program": program(), "figures": RUNS[name].read(file)}
    RECORDS.write_text(json.dumps({**recorded(), name: now}, indent=2, sort_keys=True) + "\n")


def runs() -> Iterator[str]:
    """A table with the last record of each run; one of another program says so."""
    yield "| run | on | how much | findings | command |"
    yield "|---|---|---|---|---|"
    found, now = recorded(), program()
    for name, run in RUNS.items():
        last = found[name]
        on = f"{last['on']}, {last['cores']} cores" + (", an earlier program" if last["program"] != now else "")
        yield (
            f"| {run.title} | {on} | {run.words.format(**last['figures'])} | {last['figures']['faults'] or 'none'} "
            f"| `{run.command}` |"
        )


def replays() -> Iterator[str]:
    """A table of what was replayed on the coming runtime."""
    yield "| recorded | sequences | transactions | succeeded | left something else |"
    yield "|---|---|---|---|---|"
    for source, tally in recorded()["runtimes"]["figures"]["sources"].items():
        cells = (tally[name] for name in ("sequences", "transactions", "succeeded", "differ"))
        yield f"| {source} | {' | '.join(f'{each:,}' for each in cells)} |"


TABLES: Final = {"runs": runs, "replays": replays}


def with_tables(page: str) -> str:
    """The page with its tables made again."""
    for name, rows in TABLES.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = page.partition(begin)
        page = "\n".join([before + begin, *rows(), end]) + rest.partition(end)[2]
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", choices=RUNS)
    parser.add_argument("file", nargs="?", type=Path)
    given = parser.parse_args()
    if (given.run is None) is not (given.file is None):
        parser.error("name both the run and its file, or neither")
    if given.run is not None:
        record(given.run, given.file)
    PAGE.write_text(with_tables(PAGE.read_text()))


if __name__ == "__main__":
    main()
