"""Every account of every instruction replaced by everything else: only what is the caller's to choose goes through.

Driven by the IDL. Whatever is refused changes nothing, which Cluster.act checks.
Invariants 10, 17.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from solders.account import Account
from solders.instruction import Instruction

from anchor_client.generated.errors import ProgramError
from anchor_client.generated.program import PROGRAM_ID

from .harness.actors import AUTHORITY, HOST, RENTER, RIVAL, STRANGER, TENANT
from .harness.keys import can_sign
from .harness.outcome import Refused
from .harness.scenarios import IDL, SCENARIOS, accounts_of
from .harness.specimens import ALL, forge, replaced, twin, without_flag
from .harness.world import World

INSTRUCTIONS = [each["name"] for each in IDL["instructions"]]
SIGNERS = {
    "authority": AUTHORITY,
    "host": HOST,
    "rival": RIVAL,
    "renter": RENTER,
    "tenant": TENANT,
    "stranger": STRANGER,
}

Place = tuple[str, str]
"""An instruction and one of its accounts."""

ANYBODY: set[Place] = {
    ("add_vault", "payer"),
    ("register_renter", "payer"),
    ("sweep_fees", "cranker"),
    ("sweep_stakers", "cranker"),
    ("refresh_points", "cranker"),
    ("cancel_unstarted", "signer"),
    ("finalize_rental", "signer"),
    ("report_offline", "signer"),
    ("preempt", "signer"),
    ("execute_proposal", "executor"),
    ("expire_request", "signer"),
    ("match_request", "signer"),
}
"""Whoever signs here may."""

CHOICES: dict[Place, set[str]] = {
    ("initialize_market", "market_mint"): {"mint USDC"},
    ("set_paused", "signer"): {"authority"},
    ("approve_host", "host"): {"rival host"},
    ("open_rental", "listing"): {"second listing"},
    ("update_listing", "listing"): {"second listing"},
    ("close_listing", "listing"): {"second listing"},
    ("set_charges", "listing"): {"second listing"},
    ("refresh_points", "listing"): {"second listing"},
    ("match_request", "listing"): {"second listing"},
}
"""What else the same signer may act on."""

UNREAD: set[Place] = {
    ("cancel_unstarted", "host_token"),
    ("cancel_unstarted", "mint"),
    ("finalize_rental", "renter_token"),
    ("place_bid", "price_feed"),
    ("place_bid", "program"),
    ("outbid", "price_feed"),
    ("outbid", "program"),
    ("open_rental", "price_feed"),
    ("open_rental", "program"),
    ("open_meter", "price_feed"),
    ("open_meter", "program"),
    ("open_request", "price_feed"),
    ("match_request", "price_feed"),
}
"""Looked at only when something is paid to, burned from or priced by it, and here nothing is.

The program itself stands in place of each optional account that is left out, and has to be there only once.
"""

OWN_ACCOUNTS: set[str] = {
    "renter_token",
    "host_token",
    "treasury_token",
    "funder_token",
    "owner_token",
    "authority_token",
    "beaten_token",
}
"""Any token account of the right owner and mint will do."""

MAY_BE_TWICE: set[Place] = {
    *(("outbid", name) for name in ("renter", "renter_token", "beaten_renter", "beaten_token")),
    ("match_request", "signer"),
    ("match_request", "renter"),
}
"""Written accounts that the program lets stand in a second place: nothing is kept in their data."""

SAME_WALLET: set[frozenset[str]] = {frozenset({"signer", "renter"}), frozenset({"payer", "wallet"})}
"""Accounts that may be one wallet."""


def works(world: World, instruction: Instruction) -> bool:
    try:
        world.act(instruction)
    except (ProgramError, Refused):
        return False
    return True


def is_unread(name: str, account: str, instruction: Instruction) -> bool:
    """An optional account that is left out is the program's own, which then need not come a second time."""
    keys = [meta.pubkey for meta in instruction.accounts]
    return (name, account) in UNREAD or (account == "program" and keys.count(PROGRAM_ID) > 1)


def free_choices(name: str) -> set[Place]:
    signers = {(account, who) for each, account in ANYBODY if each == name for who in SIGNERS}
    others = {(account, what) for (each, account), known in CHOICES.items() if each == name for what in known}
    return signers | others


def test_account_swaps__scenarios__cover_every_instruction() -> None:
    assert set(SCENARIOS) == set(INSTRUCTIONS)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__scenario__works(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    assert world.act(instruction).events


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__another_account__is_refused_unless_free(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    passed, originals = set(), set()
    for index, account in enumerate(accounts_of(name)):
        if is_unread(name, account["name"], instruction):
            continue
        for what, key in (SIGNERS if account.get("signer") else ALL).items():
            if key == instruction.accounts[index].pubkey:
                originals.add((account["name"], what))
            elif works(world, replaced(instruction, index, key)):
                passed.add((account["name"], what))
                world, instruction = SCENARIOS[name]()
    assert passed == free_choices(name) - originals


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__copy_owned_by_another_program__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        forged = forge(world, instruction.accounts[index].pubkey)
        if forged is None or account.get("signer") or is_unread(name, account["name"], instruction):
            continue
        assert not works(world, replaced(instruction, index, forged)), account["name"]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__account_taken_over_by_another_program__is_refused(name: str) -> None:
    """Even at the right address, state that another program could have written counts for nothing."""
    world, instruction = SCENARIOS[name]()
    world.cluster.observers.clear()
    for index, account in enumerate(accounts_of(name)):
        key = instruction.accounts[index].pubkey
        state = world.cluster.account(key)
        if state is None or state.owner != PROGRAM_ID or state.executable:
            continue
        world.cluster.set_account(key, Account(state.lamports, state.data, STRANGER))
        assert not works(world, instruction), account["name"]
        world.cluster.set_account(key, state)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__second_token_account_of_the_same_owner__is_its_owners_choice(name: str) -> None:
    for index, account in enumerate(accounts_of(name)):
        world, instruction = SCENARIOS[name]()
        other = twin(world, instruction.accounts[index].pubkey)
        if other is None or is_unread(name, account["name"], instruction):
            continue
        assert works(world, replaced(instruction, index, other)) == (account["name"] in OWN_ACCOUNTS), account["name"]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__missing_signature__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        if account.get("signer"):
            assert not works(world, without_flag(instruction, index, "is_signer")), account["name"]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__read_only_account__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    for index, account in enumerate(accounts_of(name)):
        named_once = [meta.pubkey for meta in instruction.accounts].count(instruction.accounts[index].pubkey) == 1
        if account.get("writable") and named_once:
            assert not works(world, without_flag(instruction, index, "is_writable")), account["name"]


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_account_swaps__one_account_in_two_places__is_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    accounts = accounts_of(name)
    for (first, one), (second, other) in permutations(enumerate(accounts), 2):
        pair = frozenset({one["name"], other["name"]})
        key = instruction.accounts[first].pubkey
        written = one.get("writable") or other.get("writable")
        unsigned = other.get("signer") and not can_sign(key)
        absent = other.get("optional") and key == PROGRAM_ID
        if is_unread(name, other["name"], instruction) and (name, one["name"]) in MAY_BE_TWICE:
            continue
        if not written or unsigned or absent or pair in SAME_WALLET or key == instruction.accounts[second].pubkey:
            continue
        doubled = replaced(instruction, second, key)
        assert not works(world, doubled), f"{one['name']} as {other['name']}"
