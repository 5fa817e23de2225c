"""Every account replaced by everything else: only what is the caller's to choose goes through.

Driven by the IDL. Whatever is refused changes nothing, which Cluster.act checks.
Invariants SYS-1, RNT-9.
"""

from __future__ import annotations

import pytest

from tests.sweeps import sampled

from ..harness.scenarios import SCENARIOS, accounts_of
from ..harness.specimens import ALL, replaced, twin
from ..harness.tokens import token_account
from .cases import INSTRUCTIONS, works
from .choices import OWN_ACCOUNTS, PAYS_ASSOCIATED, free_choices, is_unread


def test_data_match__scenarios__cover_every_instruction() -> None:
    assert set(SCENARIOS) == set(INSTRUCTIONS)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_data_match__scenario__works(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    assert world.act(instruction).events


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_data_match__another_account__is_refused_unless_free(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    passed, originals = set(), set()
    for index, account in enumerate(accounts_of(name)):
        if account.get("signer") or is_unread(name, account["name"], instruction):
            continue
        for what, key in ALL.items():
            if key == instruction.accounts[index].pubkey:
                originals.add((account["name"], what))
            elif works(world, replaced(instruction, index, key)):
                passed.add((account["name"], what))
                world, instruction = SCENARIOS[name]()
    signers = {account["name"] for account in accounts_of(name) if account.get("signer")}
    assert passed == {place for place in free_choices(name) if place[0] not in signers} - originals


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_data_match__second_token_account_of_the_same_owner__is_its_owners_choice(name: str) -> None:
    for index, account in enumerate(accounts_of(name)):
        world, instruction = SCENARIOS[name]()
        other = twin(world, instruction.accounts[index].pubkey)
        if other is None or is_unread(name, account["name"], instruction):
            continue
        held = token_account(world.cluster.account(other))
        assert held is not None
        signs = any(meta.is_signer and meta.pubkey == held.owner for meta in instruction.accounts)
        is_free = account["name"] in OWN_ACCOUNTS and signs and name not in PAYS_ASSOCIATED
        assert works(world, replaced(instruction, index, other)) == is_free, account["name"]
