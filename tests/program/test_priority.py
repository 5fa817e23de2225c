"""For a moment after a machine falls idle only stakers take it, whichever way they order. Invariant RNT-14."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from solders.instruction import Instruction

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import HOST, KEEPER, LISTING, LISTINGS, RENTER, TENANT
from .harness.changes import set_parameter
from .harness.flows import Flow, accepted, opened, requested, running
from .harness.governance import put_stake
from .harness.outcome import expect
from .harness.world import World

WINDOW = 60
STAKE = 10**12
P = MarketParameter
Taking = Callable[..., Callable[..., Instruction]]


def open_directly(world: World) -> Callable[..., Instruction]:
    return world.open_rental


def match(world: World) -> Callable[..., Instruction]:
    request = requested(world)
    return lambda **accounts: world.match_request(request, **accounts)


@pytest.fixture
def freed(world: World) -> World:
    """A market with a priority window whose first machine has fallen idle this second."""
    world.act(set_parameter(P.PRIORITY_WINDOW, WINDOW), set_parameter(P.PRIORITY_STAKE, STAKE))
    world.run(WINDOW)
    rental = running(world, TENANT)
    world.act(world.stop_rental(rental))
    return world


@pytest.mark.parametrize("taking", [open_directly, match])
@pytest.mark.parametrize("stake", [None, 0, STAKE - 1])
def test_priority__below_the_threshold__waits_for_the_window(freed: World, taking: Taking, stake: int | None) -> None:
    take = taking(freed)
    if stake is not None:
        put_stake(freed, RENTER, stake)
    for waited in (0, WINDOW - 1):
        freed.wait(waited)
        with expect(errors.PriorityWindow):
            freed.act(take())
    freed.wait(1)
    freed.act(take())


@pytest.mark.parametrize("taking", [open_directly, match])
@pytest.mark.parametrize("stake", [STAKE, STAKE + 1])
def test_priority__at_the_threshold__takes_the_machine_at_once(freed: World, taking: Taking, stake: int) -> None:
    take = taking(freed)
    put_stake(freed, RENTER, stake)
    freed.act(take())


@pytest.mark.parametrize("taking", [open_directly, match])
def test_priority__warming_stake__counts_from_its_epoch_on(freed: World, taking: Taking) -> None:
    take = taking(freed)
    warm_at = freed.now + WINDOW // 2
    put_stake(freed, RENTER, STAKE - 1, warming=1, warm_at=warm_at)
    freed.wait(WINDOW // 2 - 1)
    with expect(errors.PriorityWindow):
        freed.act(take())
    freed.wait(1)
    freed.act(take())


@pytest.mark.parametrize("taking", [open_directly, match])
@pytest.mark.parametrize("owner", [TENANT, HOST, KEEPER])
def test_priority__anothers_stake__is_refused(freed: World, taking: Taking, owner: Any) -> None:
    take = taking(freed)
    stake = put_stake(freed, owner, STAKE)
    with expect(errors.WrongStakeOwner):
        freed.act(take(renter_stake=stake))


def test_priority__hosts_stake__opens_no_window(freed: World) -> None:
    put_stake(freed, HOST, STAKE)
    with expect(errors.PriorityWindow):
        freed.act(freed.open_rental())


def test_priority__threshold_of_zero__still_needs_some_stake(freed: World) -> None:
    freed.act(set_parameter(P.PRIORITY_STAKE, 0))
    with expect(errors.PriorityWindow):
        freed.act(freed.open_rental())
    put_stake(freed, RENTER, 1)
    freed.act(freed.open_rental())


@pytest.mark.parametrize("bring", [opened, accepted])
def test_priority__ordered_and_withdrawn_before_the_start__begins_no_window(world: World, bring: Flow) -> None:
    """Nobody keeps a machine for stakers by ordering and stopping. Invariant RNT-14."""
    world.act(set_parameter(P.PRIORITY_WINDOW, WINDOW), set_parameter(P.PRIORITY_STAKE, STAKE))
    world.run(WINDOW)
    idle_since = world.listing(LISTING).idle_since
    rental = bring(world, TENANT)
    world.act(world.stop_rental(rental))
    assert world.listing(LISTING).idle_since == idle_since
    world.act(world.open_rental())


def test_priority__machine_idle_since_before__is_free_for_all(freed: World) -> None:
    """Each machine has a window of its own; a new listing has one too."""
    freed.act(freed.open_rental(listing=LISTINGS[1]))
    created = freed.host().next_listing
    freed.act(freed.create_listing())
    assert freed.listing(LISTING).idle_since == freed.now
    assert created == len(LISTINGS)
