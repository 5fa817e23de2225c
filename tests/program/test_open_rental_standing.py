"""Benefits of stake and history: priority on a machine that just fell idle, and more rentals at a time. K3, R13."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter as P

from .harness.actors import HOST, LISTINGS, RENTER, TENANT
from .harness.changes import respecify, set_parameter
from .harness.flows import opened, running
from .harness.outcome import expect
from .harness.staking import TOKEN, staked, unstake
from .harness.world import World

THRESHOLD = 100_000 * TOKEN
WINDOW = 30
STEP = 10_000 * TOKEN


def vacate(world: World) -> None:
    """TENANT leaves the seeded listing; its window begins now."""
    rental = running(world, TENANT)
    world.act(world.stop_rental(rental), set_parameter(P.PRIORITY_WINDOW, WINDOW))


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_priority_window__stake__opens_it_from_the_threshold(world: World, step: int) -> None:
    staked(world, THRESHOLD + step)
    world.act(world.heartbeat())
    vacate(world)
    order = world.open_rental()
    if step < 0:
        with expect(errors.PriorityWindow):
            world.act(order)
    else:
        world.act(order)


def test_priority_window__without_stake__waits_until_it_is_over(world: World) -> None:
    vacate(world)
    world.wait(WINDOW - 1)
    with expect(errors.PriorityWindow):
        world.act(world.open_rental())
    world.wait(1)
    world.act(world.open_rental())


def test_priority_window__stake_that_has_left__opens_nothing(world: World) -> None:
    staked(world, THRESHOLD)
    world.act(world.heartbeat())
    vacate(world)
    world.act(unstake(RENTER, 1))
    with expect(errors.PriorityWindow):
        world.act(world.open_rental())


def fill(world: World, base: int, region_base: int) -> None:
    """RENTER has one rental; the quotas are these from now on."""
    opened(world, listing=LISTINGS[0])
    world.act(set_parameter(P.QUOTA_BASE, base), set_parameter(P.QUOTA_REGION_BASE, region_base))


def test_quota__base__is_the_most_without_stake(world: World) -> None:
    fill(world, 1, 250)
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1]))
    world.act(world.stop_rental(world.listing().current))
    world.act(world.open_rental(listing=LISTINGS[1]))


def test_quota__of_a_region__leaves_the_others_open(world: World) -> None:
    fill(world, 10, 1)
    with expect(errors.RegionQuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[1]))
    world.act(respecify(LISTINGS[1], region=9))
    world.act(world.open_rental(listing=LISTINGS[1]))


@pytest.mark.parametrize(("stake", "more"), [(STEP - 1, 0), (STEP, 1), (2 * STEP - 1, 1), (2 * STEP, 2)])
def test_quota__stake__gives_one_more_for_every_step(world: World, stake: int, more: int) -> None:
    staked(world, stake)
    world.act(world.heartbeat(HOST, *LISTINGS))
    fill(world, 1, 1)
    for number in range(1, more + 1):
        world.act(world.open_rental(listing=LISTINGS[number]))
    with expect(errors.QuotaExceeded):
        world.act(world.open_rental(listing=LISTINGS[more + 1]))
