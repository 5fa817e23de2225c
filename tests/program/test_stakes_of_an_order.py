"""The stakes of an order's two sides: every order names them, so nobody leaves one out.

Invariants STK-5, STK-7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.pdas import find_stake
from anchor_client.generated.program import PROGRAM_ID

from .harness.actors import HOST, MARKET, RENTER, STRANGER, TENANT, USDC
from .harness.flows import requested
from .harness.governance import put_stake
from .harness.keys import address, at_bump
from .harness.outcome import expect
from .harness.spot import BEST, challenged, held, outbid, place_bid, register_stranger
from .harness.staking import TOKEN, emptied, staked
from .harness.world import World

WHOLE = 2_000_000 * TOKEN
"""Stake that takes half of a side's fee off."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to order: `prepare` gives the builder of the order's instruction, whose renter is `renter`."""

    renter: Pubkey
    prepare: Callable[[World], Callable[..., Instruction]]


def opens(world: World) -> Callable[..., Instruction]:
    return lambda **accounts: world.open_rental(mint=USDC, **accounts)


def matches(world: World) -> Callable[..., Instruction]:
    request = requested(world, mint=USDC)
    return lambda **accounts: world.match_request(request, **accounts)


def bids(world: World) -> Callable[..., Instruction]:
    held(world)
    return lambda **accounts: place_bid(world, mint=USDC, **accounts)


def outbids(world: World) -> Callable[..., Instruction]:
    held(world)
    challenged(world)
    register_stranger(world)
    return lambda **accounts: outbid(world, mint=USDC, bid=BEST, **accounts)


WAYS = {
    "open_rental": Way(RENTER, opens),
    "match_request": Way(RENTER, matches),
    "place_bid": Way(TENANT, bids),
    "outbid": Way(STRANGER, outbids),
}
SIDES = ["renter_stake", "host_stake"]


def owner_of(way: Way, side: str) -> Pubkey:
    return way.renter if side == "renter_stake" else HOST


def at_other_bump(owner: Pubkey) -> Pubkey:
    """The next address of the same seeds, where nothing is ever created."""
    bumps = range(find_stake(owner)[1] - 1, -1, -1)
    return next(found for bump in bumps if (found := at_bump([b"stake", bytes(owner)], bump)) is not None)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("exists", [False, True], ids=["without stake", "with stake"])
def test_stakes__anything_but_the_sides_own__is_refused(world: World, name: str, side: str, exists: bool) -> None:
    """A stranger who matches leaves the renter's stake out, and a renter the host's: the other side pays more."""
    way = WAYS[name]
    order = way.prepare(world)
    owner = owner_of(way, side)
    if exists:
        put_stake(world, owner, WHOLE)
    elsewhere = put_stake(world, address("another staker"), WHOLE)
    left_out = {
        "this program": PROGRAM_ID,
        "nothing": address("nothing"),
        "another bump": at_other_bump(owner),
        "empty stake of another": find_stake(address("nobody"))[0],
        "stake of another": elsewhere,
        "no stake": MARKET,
    }
    for what, account in left_out.items():
        with expect(errors.WrongStakeOwner):
            world.act(order(**{side: account}))
            pytest.fail(what)
    world.act(order())


@pytest.mark.parametrize("name", WAYS)
def test_stakes__of_both_sides__lower_the_fee_whoever_sends_the_order(world: World, name: str) -> None:
    way = WAYS[name]
    order = way.prepare(world)
    put_stake(world, way.renter, WHOLE)
    put_stake(world, HOST, WHOLE)
    opened = next(event for event in world.act(order()).events if isinstance(event, events.RentalOpened))
    price = opened.rate_usd
    bps = 250 if name in ("place_bid", "outbid") else 1_000
    half = -(-price * bps // 40_000)
    assert opened.rate == price + half


@pytest.mark.parametrize("lamports", [0, 1, 10**9])
def test_stakes__account_that_does_not_exist__counts_nothing(world: World, lamports: int) -> None:
    """Lamports that somebody sends there make no stake and stop no order."""
    without = world.act(world.open_rental(TENANT, mint=USDC)).event(events.RentalOpened)
    world.act(world.stop_rental(without.rental))
    for owner in (TENANT, HOST):
        world.cluster.set_account(find_stake(owner)[0], Account(lamports, b"", Pubkey.default()))
    world.cluster.observers.clear()
    again = world.act(world.open_rental(TENANT, mint=USDC)).event(events.RentalOpened)
    assert (again.rate, again.fee_rate) == (without.rate, without.fee_rate)


def test_stakes__closed_account__counts_nothing(world: World) -> None:
    without = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened)
    world.act(world.stop_rental(without.rental))
    emptied(world)
    world.act(instructions.close_stake(owner=RENTER), world.heartbeat())
    again = world.act(world.open_rental(mint=USDC)).event(events.RentalOpened)
    assert again.rate == without.rate


def test_stakes__made_after_the_profile__count(world: World) -> None:
    without = world.act(world.open_rental()).event(events.RentalOpened)
    world.act(world.stop_rental(without.rental))
    staked(world, WHOLE)
    world.act(world.heartbeat())
    assert world.act(world.open_rental()).event(events.RentalOpened).fee_rate < without.fee_rate


@pytest.mark.parametrize("number", range(8))
def test_stakes__registered_wallets__keep_the_canonical_address(world: World, number: int) -> None:
    wallet = address(f"newcomer {number}")
    world.cluster.set_account(wallet, Account(10**9, b"", Pubkey.default()))
    world.act(
        world.register_renter(wallet),
        instructions.register_host(authority=wallet, seal_key=bytes(range(32))),
    )
    assert world.profile(wallet).stake == world.host(wallet).stake == find_stake(wallet)[0]
