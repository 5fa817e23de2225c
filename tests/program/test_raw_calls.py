"""Calls that no client makes: forged events, unknown instructions, arguments that are no values of their types.

Invariants SYS-1, IDX-2.
"""

from __future__ import annotations

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.events import EVENT_TAG
from anchor_client.generated.pdas import find_event_authority
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.market_parameter import MarketParameter
from tests.sweeps import sampled

from .harness.actors import HOST, LISTING, RENTER, STRANGER
from .harness.flows import running
from .harness.outcome import Refused, expect_refusal
from .harness.scenarios import IDL, SCENARIOS
from .harness.terms import HOUR
from .harness.world import World

FORGED = events.RenterRegistered(profile=STRANGER, wallet=STRANGER, next_nonce=0, at=1)
EVENT_DATA = EVENT_TAG + FORGED.encode()
EVENT_AUTHORITY = find_event_authority()[0]
INSTRUCTIONS = [each["name"] for each in IDL["instructions"]]


def call(data: bytes, *accounts: AccountMeta) -> Instruction:
    return Instruction(PROGRAM_ID, data, list(accounts))


def meta(key: Pubkey, signer: bool = False) -> AccountMeta:
    return AccountMeta(key, is_signer=signer, is_writable=False)


@pytest.mark.parametrize(
    "accounts",
    [
        (),
        (meta(EVENT_AUTHORITY),),
        (meta(STRANGER, signer=True),),
        (meta(STRANGER, signer=True), meta(EVENT_AUTHORITY)),
        (meta(EVENT_AUTHORITY), meta(STRANGER, signer=True)),
    ],
)
def test_raw_calls__event_from_outside__is_refused(world: World, accounts: tuple[AccountMeta, ...]) -> None:
    with expect_refusal():
        world.act(call(EVENT_DATA, *accounts))


def test_raw_calls__event_authority__cannot_be_made_to_sign(world: World) -> None:
    """A wallet passed as event authority is refused by every instruction, so nobody else signs an event."""
    for name in INSTRUCTIONS:
        scenario, instruction = SCENARIOS[name]()
        metas = [
            meta(STRANGER, signer=True) if each.pubkey == EVENT_AUTHORITY else each for each in instruction.accounts
        ]
        with expect_refusal():
            scenario.act(call(bytes(instruction.data), *metas))


@pytest.mark.parametrize("data", [b"", b"\0", bytes(8), b"\xff" * 8, EVENT_TAG, EVENT_TAG[:7]])
def test_raw_calls__unknown_instruction__is_refused(world: World, data: bytes) -> None:
    with expect_refusal():
        world.act(call(data, meta(STRANGER, signer=True)))


@pytest.mark.parametrize("name", sampled(INSTRUCTIONS, every=8))
def test_raw_calls__fewer_accounts__are_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    needed = len(next(each["accounts"] for each in IDL["instructions"] if each["name"] == name))
    for count in range(needed):
        with expect_refusal():
            world.act(call(bytes(instruction.data), *instruction.accounts[:count]))


@pytest.mark.parametrize("name", sampled([each["name"] for each in IDL["instructions"] if each["args"]], every=8))
def test_raw_calls__truncated_arguments__are_refused(name: str) -> None:
    world, instruction = SCENARIOS[name]()
    data = bytes(instruction.data)
    for length in range(8, len(data)):
        with expect_refusal():
            world.act(call(data[:length], *instruction.accounts))


@pytest.mark.parametrize(
    ("name", "offset", "tags"),
    [
        ("update_market", 8, (len(MarketParameter), 255)),
        ("update_market_key", 8, (2, 255)),
        ("set_paused", 8, (3, 255)),
        ("set_paused", 9, (2, 255)),
        ("approve_host", 8, (2, 255)),
        ("add_payment_mint", 8, (3, 255)),
        ("open_rental", 16, (3, 255)),
        ("cancel_rental", 8, (8, 255)),
    ],
)
def test_raw_calls__no_value_of_its_type__is_refused(name: str, offset: int, tags: tuple[int, ...]) -> None:
    world, instruction = SCENARIOS[name]()
    for tag in tags:
        data = bytearray(instruction.data)
        data[offset] = tag
        with expect_refusal():
            world.act(call(bytes(data), *instruction.accounts))


def test_raw_calls__connection_longer_than_its_bytes__is_refused(world: World) -> None:
    scenario, instruction = SCENARIOS["accept_rental"]()
    data = bytes(instruction.data)
    for length in (len(data), 2**32 - 1):
        with expect_refusal():
            scenario.act(call(data[:8] + length.to_bytes(4, "little") + data[12:], *instruction.accounts))


def test_raw_calls__tip_to_a_closer_that_cannot_receive__is_refused(world: World) -> None:
    rental = running(world)
    world.run(HOUR)
    act = world.finalize_rental(rental)
    read_only = [
        AccountMeta(each.pubkey, each.is_signer, each.is_writable and i > 0) for i, each in enumerate(act.accounts)
    ]
    with pytest.raises(Refused):
        world.act(call(bytes(act.data), *read_only))


def test_raw_calls__extra_accounts__are_ignored(world: World) -> None:
    rental = running(world)
    world.run(60)
    act = world.settle_rental(rental)
    world.act(call(bytes(act.data), *act.accounts, meta(RENTER), meta(HOST), meta(LISTING)))
