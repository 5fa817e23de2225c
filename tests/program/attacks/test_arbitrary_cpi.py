"""A program of the caller's in the place of one that is called: it would be given the vault's signature.

Invariant SYS-1.
"""

from __future__ import annotations

import pytest

from anchor_client.generated.program import PROGRAM_ID
from tests.sweeps import sampled

from ..harness.keys import address
from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import replaced
from .cases import INSTRUCTIONS, works

IMPOSTOR = address("impostor program")
CALLED = ("token_program", "system_program", "associated_token_program", "loader")


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_arbitrary_cpi__executable_impostor__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    world.cluster.add_program(IMPOSTOR)
    for index, account in enumerate(accounts_of(name)):
        if account["name"] in CALLED:
            assert not works(world, replaced(instruction, index, IMPOSTOR)), account["name"]


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_arbitrary_cpi__programs_in_the_idl__are_fixed_addresses(name: str) -> None:
    """The only programs that an instruction takes are pinned by address, or are this one."""
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        key = instruction.accounts[index].pubkey
        state = world.cluster.account(key)
        if state is not None and state.executable and not account.get("optional") and key != PROGRAM_ID:
            assert account.get("address") == str(key), account["name"]
