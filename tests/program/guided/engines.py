"""Compares what the random tests of the program reach, each as `.ci/run` runs it, and what each alone reaches.

Usage: python -m tests.program.guided.engines [--seconds N]. Counted are jumps that the compiled program took.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .__main__ import build_fuzzer, build_program
from .seeds import seeds

PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "tests.program.guided.recording"]
MACHINE = "tests/program/machine"
ENGINES = {
    "tests without the long sweeps": ["tests/program", f"--ignore={MACHINE}"],
    "state machine": ["-m", "", MACHINE],
    "long sweeps": ["-m", "exhaustive", "tests/program", f"--ignore={MACHINE}"],
}
GUIDED = "guided fuzzing"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.program.guided.engines", description=__doc__)
    parser.add_argument("--seconds", type=int, default=30, help="how long to fuzz (default 30, as in .ci/run)")
    options = parser.parse_args()
    given = seeds()
    fuzz = [str(build_fuzzer()), "--program", str(build_program())]
    reached: dict[str, set[int]] = {}
    spent: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, tests in ENGINES.items():
            print(f"recording: {name}", file=sys.stderr)
            file = Path(folder, "recorded.jsonl")
            file.unlink(missing_ok=True)
            before = _processor_seconds()
            subprocess.run([*PYTEST, *tests, "--sequences", str(file)], check=True, stdout=sys.stderr)
            spent[name] = _processor_seconds() - before
            recorded = [json.loads(line) for line in file.read_text().splitlines()]
            reached[name] = _reached(fuzz, given | {"sequences": recorded}, Path(folder))
        before = _processor_seconds()
        reached[GUIDED] = _reached(fuzz, given, Path(folder), options.seconds)
        spent[GUIDED] = _processor_seconds() - before
    print(*table(reached, spent), sep="\n")


def table(reached: dict[str, set[int]], spent: dict[str, float]) -> Iterator[str]:
    """Lines of a table in Markdown: what each engine reaches, and what no other does."""
    yield "| engine | processor seconds | jumps reached | by it alone |"
    yield "|---|---|---|---|"
    for name, jumps in reached.items():
        others = set[int]().union(*(each for other, each in reached.items() if other != name))
        yield f"| {name} | {spent[name]:,.0f} | {len(jumps):,} | {len(jumps - others):,} |"
    yield f"| all together | {sum(spent.values()):,.0f} | {len(set[int]().union(*reached.values())):,} | |"


def _reached(fuzz: list[str], given: dict[str, Any], folder: Path, seconds: int = 0) -> set[int]:
    """Jumps that the sequences given take, and those that the fuzzer finds from them in the time."""
    start, reached = folder / "seeds.json", folder / "reached.json"
    start.write_text(json.dumps(given))
    command = [*fuzz, "--seeds", str(start), "--corpus", tempfile.mkdtemp(dir=folder)]
    command += ["--seconds", str(seconds), "--reached", str(reached)]
    # It exits 1 at a fault, and accounts that tests put there are some.
    subprocess.run(command, check=False, stdout=sys.stderr)
    return set(json.loads(reached.read_text()))


def _processor_seconds() -> float:
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
