"""Shows that each invariant is tested: takes a check out of the program and expects the named tests to fail.

Usage: mutate.py [NAME ...] [--list] [--json FILE]     needs what `make program` needs; about a minute a mutation

The list is docs/mutations.toml. Works on a copy; the checkout stays as it is. Exits 1 if a mutation survives.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "docs" / "mutations.toml"
SOURCES = ROOT / "programs" / "gpu_market" / "src"
COPIED = (
    "programs",
    "scripts",
    "idl",
    "anchor_client",
    "localnet",
    "tests",
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of the program's sources and the tests that must notice it."""

    name: str
    invariant: int
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutation; `caught` when the tests failed."""

    name: str
    invariant: int
    caught: bool
    seconds: int


def mutations() -> list[Mutation]:
    """The list, each entry matching exactly one place in the sources. SystemExit otherwise."""
    entries = tomllib.loads(LIST.read_text())["mutation"]
    found = [Mutation(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]
    for each in found:
        count = (SOURCES / each.file).read_text().count(each.old)
        if count != 1:
            sys.exit(f"{each.name}: {each.file} has {count} places like {each.old!r}, there must be one")
    return found


def checkout(folder: Path) -> None:
    """Copies what building and testing need."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "target"))
        else:
            shutil.copy(source, folder / name)


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONPATH": str(folder),
        "SBF_TARGET_DIR": str(folder / ".sbf"),
        "HYPOTHESIS_PROFILE": "ci",
    }
    return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, check=False)


def build(folder: Path) -> None:
    """Builds the program in the copy. SystemExit if it does not compile."""
    built = run(folder, sys.executable, "scripts/sbf/program.py", "build")
    if built.returncode:
        sys.exit(f"the program does not build:\n{built.stdout[-2000:]}{built.stderr[-4000:]}")


def tests_pass(folder: Path, tests: tuple[str, ...]) -> bool:
    """Whether the tests pass on the copy's program. SystemExit if they could not run."""
    result = run(folder, sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *tests)
    if result.returncode not in (0, 1):
        sys.exit(f"the tests did not run:\n{result.stdout[-4000:]}{result.stderr[-2000:]}")
    return result.returncode == 0


def judge(folder: Path, mutation: Mutation) -> Verdict:
    """Builds the mutated program and runs the tests that must fail."""
    file = folder / SOURCES.relative_to(ROOT) / mutation.file
    original = file.read_text()
    started = time.monotonic()
    try:
        file.write_text(original.replace(mutation.old, mutation.new))
        build(folder)
        caught = not tests_pass(folder, mutation.tests)
    finally:
        file.write_text(original)
    return Verdict(mutation.name, mutation.invariant, caught, round(time.monotonic() - started))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--json", type=Path, help="write the verdicts to this file")
    options = parser.parse_args()
    known = mutations()
    unknown = set(options.names) - {each.name for each in known}
    if unknown:
        parser.error(f"no such mutation: {', '.join(sorted(unknown))}")
    chosen = [each for each in known if not options.names or each.name in options.names]
    if options.list:
        for each in chosen:
            print(f"{each.name} (invariant {each.invariant})")
        return 0
    verdicts = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checkout(folder)
        print("building the program as it is", flush=True)
        build(folder)
        every_test = tuple(sorted({test for each in chosen for test in each.tests}))
        if not tests_pass(folder, every_test):
            sys.exit("the tests fail without any mutation")
        for each in chosen:
            verdict = judge(folder, each)
            verdicts.append(verdict)
            word = "caught" if verdict.caught else "SURVIVED"
            print(f"{word:9} invariant {each.invariant:3}  {each.name}  {verdict.seconds} s", flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in verdicts], indent=2) + "\n")
    return 0 if all(each.caught for each in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
