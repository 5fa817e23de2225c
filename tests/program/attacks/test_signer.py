"""Without the signature that an instruction asks for, it is refused; whoever signs in another's place is refused too.

Invariants SYS-1, RNT-9.
"""

from __future__ import annotations

import pytest

from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import replaced, without_flag
from .cases import INSTRUCTIONS, works
from .choices import SIGNERS, free_choices


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_signer__missing_signature__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        if account.get("signer"):
            assert not works(world, without_flag(instruction, index, "is_signer")), account["name"]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_signer__somebody_else__is_refused_unless_free(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    passed, originals = set(), set()
    for index, account in enumerate(accounts_of(name)):
        if not account.get("signer"):
            continue
        for who, key in SIGNERS.items():
            if key == instruction.accounts[index].pubkey:
                originals.add((account["name"], who))
            elif works(world, replaced(instruction, index, key)):
                passed.add((account["name"], who))
                world, instruction = SCENARIOS[name]()
    signers = {account["name"] for account in accounts_of(name) if account.get("signer")}
    assert passed == {place for place in free_choices(name) if place[0] in signers} - originals
