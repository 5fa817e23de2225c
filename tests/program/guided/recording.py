"""A plugin of pytest that writes what tests of the program do on their clusters, as the fuzzer reads it.

`pytest -p tests.program.guided.recording --sequences FILE`: each line of the file is a sequence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from solders.account import Account
from solders.pubkey import Pubkey

from ..harness import market, scenarios
from ..harness.cluster import LOADER_V3, PROGRAM_DATA, SLOTS_A_SECOND, START
from ..machine import base
from .recorder import Recorder, Sequence

GONE = Account(0, b"", Pubkey.default())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sequences", type=Path, required=True, help="file for what the tests do")


@pytest.fixture(autouse=True)
def _recorded(request: pytest.FixtureRequest) -> Iterator[None]:
    made: list[Sequence] = []
    seeded, _ = base.seeded_market()

    class Kept(Recorder):
        """A cluster whose sequence begins with what differs from the seeded market."""

        def __init__(self, accounts: Mapping[Pubkey, Account] | None = None, now: int = START) -> None:
            super().__init__(accounts, now)
            if accounts is not None:
                self.steps.extend(self.put(*each) for each in _differing(seeded, accounts))
                self.steps.append({"pass": [now - START, (now - START) * SLOTS_A_SECOND]})
            made.append(self.sequence(bare=accounts is None))

    with ExitStack() as patched:
        for module in (market, scenarios, base):
            patched.enter_context(patch.object(module, "Cluster", Kept))
        yield
    file: Any = request.config.getoption("--sequences")
    with file.open("a") as lines:
        lines.writelines(json.dumps(each) + "\n" for each in made if not _changes_programs(each))


def _changes_programs(sequence: Sequence) -> bool:
    """Returns True if code is put there or upgraded: the fuzzer tells the jumps of one binary."""
    keys = sequence["keys"]
    for step in sequence["steps"]:
        match step:
            case {"put": [key, _, _, owner]} if keys[owner] == str(LOADER_V3) and keys[key] != str(PROGRAM_DATA):
                return True
            case {"act": calls} if any(keys[meta[0]] == str(LOADER_V3) for call in calls for meta in call["accounts"]):
                return True
    return False


def _differing(
    seeded: Mapping[Pubkey, Account], accounts: Mapping[Pubkey, Account]
) -> Iterator[tuple[Pubkey, Account]]:
    for key in seeded.keys() - accounts.keys():
        yield key, GONE
    for key, account in accounts.items():
        if seeded.get(key) != account:
            yield key, account
