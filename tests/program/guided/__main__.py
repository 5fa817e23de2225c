"""Fuzzes the compiled program, guided by what of it runs, and audits every sequence that the fuzzer has kept.

Builds the program with debug information and the crate in fuzzer/, both into the user's cache. Exits 1 at a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.sbf.program import sources

from .copied import copied
from .replay import Replay, replay
from .seeds import seeds

ROOT = Path(__file__).parents[3]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-market" / "fuzz"
INTERRUPTED = 130


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.program.guided", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600, help="how long to fuzz (default 600)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default 0)")
    parser.add_argument("--corpus", type=Path, default=CACHE / "corpus", help="where sequences are kept and read again")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures to this file")
    options = parser.parse_args()
    options.corpus.mkdir(parents=True, exist_ok=True)
    program, fuzzer = build_program(), build_fuzzer()
    given = CACHE / "seeds.json"
    print("what the tests do, to start from")
    given.write_text(json.dumps(seeds()))
    command = [str(fuzzer), "--seeds", str(given), "--program", str(program), "--corpus", str(options.corpus)]
    command += ["--seconds", str(options.seconds), "--seed", str(options.seed)]
    if options.json is not None:
        command += ["--json", str(options.json)]
    code = _run(command)
    if code not in (0, 1):
        return code
    kept = sorted(options.corpus.glob("*.json"))
    faults = list(_audit(kept))
    if options.json is not None:
        audit = {"audited": len(kept), "audit_faults": [fault for _, fault in faults]}
        options.json.write_text(json.dumps(json.loads(options.json.read_text()) | audit, indent=2))
    for path, fault in faults:
        print(f"FAULT found by the audit: {fault}\n    kept in {path}", file=sys.stderr)
    return 1 if faults else code


def build_program() -> Path:
    """Builds the program with debug information."""
    out, copy = CACHE / "gpu_market_debug.so", CACHE / "sources"
    environment = os.environ | {"SBF_DEBUG": "1", "SBF_TARGET_DIR": str(CACHE / "program")}
    command = ["bash", str(copy / "scripts/sbf/build.sh"), str(copy / "programs/gpu_market"), str(out)]
    with copied(sources(), ROOT, copy):
        subprocess.run(command, check=True, env=environment)
    return out


def build_fuzzer() -> Path:
    """Builds the crate in fuzzer/."""
    crate, copy = Path(__file__).with_name("fuzzer"), CACHE / "fuzzer"
    command = ["cargo", "build", "--release", "--locked"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(CACHE / "target")}
    files = [crate / "Cargo.toml", crate / "Cargo.lock", *(crate / "src").rglob("*.rs")]
    with copied(files, crate, copy):
        subprocess.run(command, cwd=copy, check=True, env=environment)
    return CACHE / "target" / "release" / "fuzz"


def _run(command: list[str]) -> int:
    """Its exit code; it gets the terminal's Ctrl-C itself, and stops with its figures."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(command, check=False, restore_signals=True).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def _audit(kept: list[Path]) -> Iterator[tuple[Path, str]]:
    """Those of the sequences in which something is not what the transactions' events say."""
    total = Replay()
    for path in kept:
        sequence = json.loads(path.read_text())
        if sequence["bare"]:
            continue  # the audit starts with the seeded market
        try:
            done = replay(sequence)
        except AssertionError as error:
            yield path, str(error) or repr(error)
            continue
        total.succeeded += done.succeeded
        total.refused += done.refused
    print(f"audited {len(kept)} sequences: {total.succeeded} transactions succeeded, {total.refused} were refused")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
