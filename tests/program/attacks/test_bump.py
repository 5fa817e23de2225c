"""A second address for the same seeds, by another bump: nothing is ever created there.

Invariants SYS-1, RNT-8.
"""

from __future__ import annotations

from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import ACCOUNTS
from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.keys import at_bump
from ..harness.scenarios import IDL, SCENARIOS, accounts_of
from ..harness.specimens import replaced
from ..harness.world import World
from .cases import CREATING, created_by, works

BUMP_OFFSET = 9
"""After the discriminator and the version."""

WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


def seeds_of(world: World, name: str, account: dict[str, Any], instruction: Instruction) -> list[bytes]:
    """The seeds that the IDL derives a created account from; an argument among them is the first one."""
    keys = {each["name"]: bytes(instruction.accounts[i].pubkey) for i, each in enumerate(accounts_of(name))}
    seeds = []
    for seed in account["pda"]["seeds"]:
        match seed["kind"]:
            case "const":
                seeds.append(bytes(seed["value"]))
            case "account" if "." in seed["path"]:
                owner, field = seed["path"].split(".")
                seeds.append(field_of(world, Pubkey.from_bytes(keys[owner]), field))
            case "account":
                seeds.append(keys[seed["path"]])
            case _:
                first = next(each for each in IDL["instructions"] if each["name"] == name)["args"][0]
                assert first["name"] == seed["path"]
                seeds.append(bytes(instruction.data)[8 : 8 + WIDTHS[first["type"]]])
    return seeds


def field_of(world: World, address: Pubkey, field: str) -> bytes:
    """The bytes of a field of one of the program's accounts."""
    account = world.cluster.account(address)
    assert account is not None
    kind = ACCOUNTS[bytes(account.data[:8])]
    state: Any = kind.decode(account.data)
    found: bytes = kind.LAYOUT.layouts[field].build(getattr(state, field))
    return found


@pytest.mark.parametrize("name", sampled(CREATING, every=4))
def test_bump__created_account_at_another_bump__is_refused(name: str) -> None:
    created = set(created_by(name))
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        key = instruction.accounts[index].pubkey
        if key not in created:
            continue
        seeds = seeds_of(world, name, account, instruction)
        addresses = [found for bump in range(255, -1, -1) if (found := at_bump(seeds, bump)) is not None]
        assert addresses[0] == key
        for other in addresses[1:6]:
            assert not works(world, replaced(instruction, index, other)), account["name"]


@pytest.mark.parametrize("name", sampled(CREATING, every=4))
def test_bump__created_account__keeps_the_canonical_bump(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    created = [
        (instruction.accounts[index].pubkey, seeds_of(world, name, account, instruction))
        for index, account in enumerate(accounts_of(name))
        if instruction.accounts[index].pubkey in created_by(name)
    ]
    outcome = world.act(instruction)
    assert created
    for key, seeds in created:
        state = outcome.after[key]
        assert state is not None
        assert state.data[BUMP_OFFSET] == Pubkey.find_program_address(seeds, PROGRAM_ID)[1]
