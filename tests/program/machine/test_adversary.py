"""The adversary's tampering with an instruction, and gains that it may not bring. Invariants SYS-6, SYS-7."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.instructions import decode_instruction
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types.pause_area import PauseArea

from ..harness.actors import AUTHORITY, GPUM, HOST, KEEPER, RENTER, RIVAL, TENANT
from ..harness.changes import set_paused
from ..harness.outcome import Outcome
from ..harness.tokens import put_tokens, token_address
from .adversary import Adversary
from .base import OUTSIDER
from .rental import RentalRules
from .tampering import Kind, Surroundings, Tampering


class Robbers(Adversary, RentalRules):
    """A market with no rules but those for rentals."""


@pytest.fixture
def machine() -> Iterator[Robbers]:
    machine = Robbers()
    yield machine
    machine.release()


@pytest.fixture
def swept(machine: Robbers) -> Outcome:
    """Fees shared out by an outsider."""
    machine.rent_at_once(0, 0, 3_600, OUTSIDER)
    machine.give_up(0, 300, settled=False, reason=None)
    return machine.act(machine.world.sweep_fees(GPUM, caller=OUTSIDER))


def test_judge__as_it_happened__passes(machine: Robbers, swept: Outcome) -> None:
    machine._judge(swept)


@pytest.mark.parametrize(("owner", "step", "said"), [(OUTSIDER, 1, "was paid"), (TENANT, -1, "has lost tokens")])
def test_judge__tokens_astray__are_noticed(
    machine: Robbers, swept: Outcome, owner: Pubkey, step: int, said: str
) -> None:
    cluster, key = machine.world.cluster, token_address(owner, GPUM)
    before = cluster.account(key)
    put_tokens(cluster, GPUM, owner, machine.world.tokens(owner) + step)
    told = replace(swept, before={**swept.before, key: before}, after={**swept.after, key: cluster.account(key)})
    with pytest.raises(AssertionError, match=said):
        machine._judge(told)


def test_rehearsal__of_what_works__changes_nothing(machine: Robbers) -> None:
    before = machine.world.cluster.accounts()
    machine._rehearse(machine.world.open_rental(), [Tampering(Kind.AS_IT_WAS, 0, 0)])
    assert machine.world.cluster.accounts() == before
    assert machine.tally.attacks == {(Kind.AS_IT_WAS, "rehearsed"): 1}


@pytest.fixture
def instruction(machine: Robbers) -> Instruction:
    return machine.world.open_rental(RENTER)


@pytest.fixture
def surroundings(machine: Robbers) -> Surroundings:
    other = machine.world.open_rental(TENANT, nonce=7)
    cluster = machine.world.cluster
    return Surroundings((KEEPER,), cluster.known, [other], cluster.account)


def test_tamper__impostor__signs(surroundings: Surroundings, instruction: Instruction) -> None:
    tampered = surroundings.tamper(instruction, [Tampering(Kind.IMPOSTOR, 0, 0)])
    assert [meta.pubkey for meta in tampered.accounts if meta.is_signer] == [KEEPER]


def test_tamper__theft__names_what_is_their_own(surroundings: Surroundings, instruction: Instruction) -> None:
    found = [surroundings.tamper(instruction, [Tampering(Kind.THEFT, place, 0)]) for place in range(3)]
    changed = [
        (old.pubkey, new.pubkey)
        for tampered in found
        for old, new in zip(instruction.accounts, tampered.accounts, strict=True)
        if old != new
    ]
    vault_token = token_address(find_vault(GPUM, 0)[0], GPUM)
    own = token_address(KEEPER, GPUM)
    assert changed == [(RENTER, KEEPER), (vault_token, own), (token_address(RENTER, GPUM), own)]


def test_tamper__same_kind__is_another_account_of_the_same_owner(
    surroundings: Surroundings, instruction: Instruction
) -> None:
    names = list(decode_instruction(instruction).accounts)
    place = names.index("renter_profile")
    found = {
        surroundings.tamper(instruction, [Tampering(Kind.SAME_KIND, place, choice)]).accounts[place].pubkey
        for choice in range(3)
    }
    owners = {surroundings.account_of(key).owner for key in found}  # type: ignore[union-attr]
    assert len(found) == 3 and owners == {instruction.program_id}


def test_tamper__cross__takes_accounts_of_the_other(surroundings: Surroundings, instruction: Instruction) -> None:
    tampered = surroundings.tamper(instruction, [Tampering(Kind.CROSS, 0, 0b1)])
    assert tampered.accounts[0].pubkey == TENANT
    assert tampered.accounts[1:] == instruction.accounts[1:] and tampered.data == instruction.data


def test_tamper__amount__changes_arguments_alone(surroundings: Surroundings, instruction: Instruction) -> None:
    tampered = surroundings.tamper(instruction, [Tampering(Kind.AMOUNT, 0, 1)])
    assert decode_instruction(tampered).args["nonce"] == 2**64 - 1
    assert tampered.accounts == instruction.accounts


def test_tamper__what_the_authority_wants__stays(surroundings: Surroundings) -> None:
    pause = set_paused(PauseArea.ORDERS, caller=AUTHORITY)
    for kind in (Kind.AMOUNT, Kind.ANOTHER_CALL):
        assert surroundings.tamper(pause, [Tampering(kind, 0, 1)]) == pause


def test_tamper__rotate__turns_what_follows_the_named_accounts(machine: Robbers, surroundings: Surroundings) -> None:
    beat = machine.world.heartbeat(HOST, RIVAL, TENANT, KEEPER, operator=HOST)
    tampered = surroundings.tamper(beat, [Tampering(Kind.ROTATE, 0, 1)])
    assert [meta.pubkey for meta in tampered.accounts[-3:]] == [TENANT, KEEPER, RIVAL]
