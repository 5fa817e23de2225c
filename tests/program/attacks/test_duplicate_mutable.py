"""One account in two places, one of them written; and a written account that is passed read-only.

Invariants SYS-1, RNT-9.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.keys import can_sign
from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import replaced, without_flag
from .cases import INSTRUCTIONS, works
from .choices import MAY_BE_TWICE, SAME_WALLET, is_unread


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_duplicate_mutable__one_account_in_two_places__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    accounts = accounts_of(name)
    for (first, one), (second, other) in permutations(enumerate(accounts), 2):
        pair = frozenset({one["name"], other["name"]})
        key = instruction.accounts[first].pubkey
        written = one.get("writable") or other.get("writable")
        unsigned = other.get("signer") and not can_sign(key)
        absent = other.get("optional") and key == PROGRAM_ID
        either_may = any((name, each["name"]) in MAY_BE_TWICE for each in (one, other))
        may_be_twice = either_may or other["name"].endswith("_payout")
        if is_unread(name, other["name"], instruction) and may_be_twice:
            continue
        if not written or unsigned or absent or pair in SAME_WALLET or key == instruction.accounts[second].pubkey:
            continue
        doubled = replaced(instruction, second, key)
        assert not works(world, doubled), f"{one['name']} as {other['name']}"


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_duplicate_mutable__read_only_account__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        named_once = [meta.pubkey for meta in instruction.accounts].count(instruction.accounts[index].pubkey) == 1
        if account.get("writable") and named_once:
            assert not works(world, without_flag(instruction, index, "is_writable")), account["name"]
