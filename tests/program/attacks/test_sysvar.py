"""A forged clock, rent or instructions sysvar: no instruction takes one, time comes from the runtime itself.

Invariants SYS-1, RNT-7.
"""

from __future__ import annotations

import pytest
from solders.account import Account
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.sysvar import CLOCK, INSTRUCTIONS, RENT

from tests.sweeps import sampled

from ..harness.keys import address
from ..harness.scenarios import SCENARIOS, accounts_of
from .cases import INSTRUCTIONS as NAMES

SYSVARS = {str(CLOCK), str(RENT), str(INSTRUCTIONS)}
WORDS = {"clock", "rent", "instructions", "sysvar", "slot_hashes"}
SYSVAR_PROGRAM = Pubkey.from_string("Sysvar1111111111111111111111111111111111111")


@pytest.mark.parametrize("name", sampled(NAMES, every=8))
def test_sysvar__accounts__are_none(name: str) -> None:
    for account in accounts_of(name):
        assert account.get("address") not in SYSVARS
        assert account["name"] not in WORDS


@pytest.mark.parametrize("name", sampled(NAMES, every=8))
def test_sysvar__forged_clock_beside_the_accounts__changes_nothing(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    if len(instruction.accounts) > len(accounts_of(name)):
        pytest.skip("its further accounts are listings")
    forged = address("forged clock")
    world.cluster.set_account(forged, Account(10**9, (2**62).to_bytes(8, "little") * 5, SYSVAR_PROGRAM))
    metas = [*instruction.accounts, AccountMeta(forged, is_signer=False, is_writable=False)]
    outcome = world.act(Instruction(instruction.program_id, bytes(instruction.data), metas))
    assert all(getattr(event, "at", world.now) == world.now for event in outcome.events)
