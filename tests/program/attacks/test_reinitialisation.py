"""Accounts are never created again: not a second time, and not over what a program left there.

Invariants SYS-1, RNT-8.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from solders.account import Account

from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.actors import STRANGER
from ..harness.scenarios import SCENARIOS
from ..harness.staking import stake_of
from .cases import CREATING, created_by, works

ADDING = {"stake"}
"""Instructions that create their account only the first time, and add to it from then on."""
CHANGING = {"set_gpu_model"}
"""Instructions that create their account only the first time, and overwrite it from then on."""
ONCE = [name for name in CREATING if name not in ADDING | CHANGING]


@pytest.mark.parametrize("name", sampled(ONCE, every=4))
def test_reinitialisation__second_time__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.act(instruction)
    assert not works(world, instruction)


@pytest.mark.parametrize("name", sorted(ADDING))
def test_reinitialisation__adding__keeps_what_was_there(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    [created] = created_by(name)
    world.act(instruction)
    first = stake_of(world)
    world.act(instruction)
    assert stake_of(world) == replace(first, warming=2 * first.warming, seq=2)
    assert world.exists(created)


@pytest.mark.parametrize("name", sampled(ONCE, every=4))
def test_reinitialisation__twice_in_one_transaction__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    assert not works(world, instruction, instruction)


@pytest.mark.parametrize("owner", [PROGRAM_ID, STRANGER], ids=["this program", "another program"])
@pytest.mark.parametrize("name", sampled(CREATING, every=4))
def test_reinitialisation__over_an_account_with_data__is_refused(name: str, owner: object) -> None:
    for address in created_by(name):
        for data in (bytes(8), bytes(1_000)):
            world, instruction = SCENARIOS[name]()
            world.cluster.set_account(address, Account(10**9, data, owner))
            assert not works(world, instruction)
