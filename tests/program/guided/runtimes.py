"""Replays recorded transactions on the runtime that comes, and compares every account with what today's leaves.

Usage: python -m tests.program.guided.runtimes [--corpus DIR] [--json FILE]. Exits 1 if anything differs, 2 without a
corpus. Builds the crate in ahead/ into the user's cache: some minutes on two cores, once; it needs a newer Rust, which
rustup installs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from solders.account import Account
from solders.instruction import Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from anchor_client.generated.errors import ProgramError

from ..harness.cluster import LOADER_V3, PROGRAM_BINARY, START, SYSVAR_OWNER, Cluster
from ..harness.outcome import Refused
from ..machine import base
from .__main__ import CACHE, ROOT
from .recorder import Sequence
from .replay import keys_of, take
from .seeds import seeds

CRATE = "tests/program/guided/ahead"
TOOLCHAIN = "1.99.1"
"""Rust that builds the crate: its own needs 1.98.1."""
RUNTIMES = ("today", "mapped", "all")
"""With mainnet's features of today; with those too that map accounts; with every feature there is."""
AT_ONCE = 500
RECORDED = ["-m", "not exhaustive and not validator", "tests/program", "--ignore=tests/program/machine"]
Left = list[list[str]]
"""Outcome of each transaction with a hash of the accounts that it names, and in the end of all."""


class SignedByAnyone(Cluster):
    """A cluster that does not ask who could sign: those who did were made in another process."""

    def _compiled(self, instructions: Iterable[Instruction]) -> VersionedTransaction:
        message = MessageV0.try_compile(self.fee_payer, list(instructions), [], self._svm.latest_blockhash())
        return VersionedTransaction.populate(message, [Signature.default()] * message.header.num_required_signatures)


@dataclass(slots=True)
class Tally:
    """Counts of a comparison."""

    sequences: int = 0
    transactions: int = 0
    succeeded: int = 0
    differ: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.program.guided.runtimes", description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CACHE / "corpus", help="sequences that the fuzzer has kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures to this file")
    options = parser.parse_args()
    kept = sorted(options.corpus.glob("*.json"))
    if not kept:
        parser.error(f"{options.corpus} has no sequences to replay: `make fuzz-guided` keeps some there")
    runner, given = build_runner(), seeds()
    sources = {
        "state machine": given["sequences"],
        "tests without the long sweeps": recorded(),
        "sequences that the fuzzer kept": (json.loads(file.read_text()) for file in kept),
    }
    tallies = {name: compared(runner, given, sequences) for name, sequences in sources.items()}
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.sequences} sequences, {tally.transactions} transactions, {tally.succeeded} succeeded, "
            f"{tally.differ} left something else on one of {len(RUNTIMES)} runtimes"
        )
    if options.json is not None:
        options.json.write_text(json.dumps({name: asdict(tally) for name, tally in tallies.items()}, indent=2))
    return 1 if any(tally.differ for tally in tallies.values()) else 0


def build_runner() -> Path:
    """Builds the crate in ahead/."""
    if subprocess.run(["rustup", "run", TOOLCHAIN, "rustc", "--version"], capture_output=True, check=False).returncode:
        subprocess.run(["rustup", "toolchain", "install", TOOLCHAIN, "--profile", "minimal"], check=True)
    target = CACHE.parent / "ahead" / "target"
    command = ["cargo", f"+{TOOLCHAIN}", "build", "--release", "--locked", "--manifest-path", f"{CRATE}/Cargo.toml"]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"CARGO_TARGET_DIR": str(target)})
    return target / "release" / "ahead"


def recorded() -> list[Sequence]:
    """Sequences of the program's tests, the long ones left out."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "recorded.jsonl")
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "tests.program.guided.recording", *RECORDED]
        subprocess.run([*command, "--sequences", str(file)], cwd=ROOT, check=True)
        return [json.loads(line) for line in file.read_text().splitlines()]


def compared(runner: Path, given: dict[str, Any], sequences: Iterable[Sequence]) -> Tally:
    """Runs the sequences everywhere, and prints where they differ."""
    tally = Tally()
    rest = iter(sequences)
    while some := list(islice(rest, AT_ONCE)):
        ahead = {runtime: _ahead(runner, given | {"sequences": some}, runtime) for runtime in RUNTIMES}
        for number, sequence in enumerate(some):
            now = left(sequence)
            tally.sequences += 1
            tally.transactions += len(now) - 1
            tally.succeeded += sum(outcome == "ok" for outcome, _ in now)
            found = list(faults(sequence, now, {runtime: each[number] for runtime, each in ahead.items()}))
            tally.differ += bool(found)
            for fault in found:
                print(f"DIFFERS in sequence {tally.sequences}: {fault}", file=sys.stderr)
    return tally


def left(sequence: Sequence) -> Left:
    """Accounts that its transactions leave on today's runtime."""
    cluster = SignedByAnyone() if sequence["bare"] else SignedByAnyone(base.seeded_market()[0], START)
    keys = keys_of(sequence)
    found: Left = []
    for step in sequence["steps"]:
        outcome = "ok"
        try:
            take(cluster, step, keys)
        except ProgramError as error:
            outcome = str(error.code)
        except Refused:
            outcome = "refused"
        if "act" in step:
            named = [keys[meta[0]] for call in step["act"] for meta in call["accounts"]]
            found.append([outcome, _digest(cluster, named)])
    return [*found, ["end", _digest(cluster, keys)]]


def _digest(cluster: Cluster, keys: Iterable[Pubkey]) -> str:
    """As the crate has it."""
    digest = sha256()
    for key in keys:
        account = cluster.account(key)
        if account is not None and not _foreign(account):
            data = bytes(account.data)
            digest.update(bytes(key) + account.lamports.to_bytes(8, "little") + bytes(account.owner))
            digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]


def _foreign(account: Account) -> bool:
    return account.executable or account.owner in (SYSVAR_OWNER, LOADER_V3)


def _ahead(runner: Path, given: dict[str, Any], runtime: str) -> list[Left]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(given, file)
        file.flush()
        command = [str(runner), file.name, str(PROGRAM_BINARY), runtime]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def faults(sequence: Sequence, now: Left, ahead: dict[str, Left]) -> Iterator[str]:
    """The first difference on each runtime."""
    acts = [step["act"] for step in sequence["steps"] if "act" in step]
    for runtime, there in ahead.items():
        for at, (ours, theirs) in enumerate(zip(now, there, strict=True)):
            if ours != theirs:
                calls = [call["data"] for call in acts[at]] if at < len(acts) else []
                yield f"{runtime}, transaction {at} {calls}: {ours} today, {theirs} ahead"
                break


if __name__ == "__main__":
    sys.exit(main())
