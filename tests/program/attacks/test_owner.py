"""State that another program could have written, in the place of this program's.

Invariants SYS-1, RNT-9.
"""

from __future__ import annotations

import pytest
from solders.account import Account

from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.actors import STRANGER
from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import forge, replaced
from .cases import INSTRUCTIONS, works
from .choices import MAY_BE_GONE, NAMED_ALONE, is_unread


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_owner__copy_owned_by_another_program__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        forged = forge(world, instruction.accounts[index].pubkey)
        if forged is None or account.get("signer") or is_unread(name, account["name"], instruction):
            continue
        assert not works(world, replaced(instruction, index, forged)), account["name"]


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_owner__account_taken_over_by_another_program__is_refused(name: str) -> None:
    """Even at the right address, state that another program could have written counts for nothing."""
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for index, account in enumerate(accounts_of(name)):
        key = instruction.accounts[index].pubkey
        state = world.cluster.account(key)
        if state is None or state.owner != PROGRAM_ID or state.executable:
            continue
        if (name, account["name"]) in MAY_BE_GONE | NAMED_ALONE:
            continue
        world.cluster.set_account(key, Account(state.lamports, state.data, STRANGER))
        assert not works(world, instruction), account["name"]
        world.cluster.set_account(key, state)
