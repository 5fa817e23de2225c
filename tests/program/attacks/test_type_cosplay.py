"""An account of one type in the place of another: the discriminator decides, whatever the bytes after it say.

Invariants SYS-1, RNT-9.
"""

from __future__ import annotations

import pytest
from solders.account import Account

from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.scenarios import SCENARIOS
from .cases import INSTRUCTIONS, named_state, works

ANY_KIND = ("sweep_rent", "account")
"""Reads what kind of account it is given."""


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_type_cosplay__right_bytes_under_another_discriminator__are_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for account, _, key, state in named_state(world, name, instruction):
        for discriminator, kind in ACCOUNTS.items():
            if state.data.startswith(discriminator) or (name, account) == ANY_KIND:
                continue
            dressed = Account(state.lamports, discriminator + bytes(state.data[8:]), PROGRAM_ID)
            world.cluster.set_account(key, dressed)
            assert not works(world, instruction), f"{account} as {kind.__name__}"
        world.cluster.set_account(key, state)
    assert works(world, instruction)


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_type_cosplay__no_discriminator__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for account, _, key, state in named_state(world, name, instruction):
        for data in (bytes(8) + bytes(state.data[8:]), b"\xff" * 8 + bytes(state.data[8:]), bytes(state.data[:7]), b""):
            world.cluster.set_account(key, Account(state.lamports, data, PROGRAM_ID))
            assert not works(world, instruction), account
        world.cluster.set_account(key, state)


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_type_cosplay__state_cut_short__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for account, _, key, state in named_state(world, name, instruction):
        world.cluster.set_account(key, Account(state.lamports, bytes(state.data[:-1]), PROGRAM_ID))
        assert not works(world, instruction), account
        world.cluster.set_account(key, state)
