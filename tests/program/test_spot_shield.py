"""A spot holder cannot keep bidders away with wallets of their own. Invariants SPT-3, SPT-4, SPT-7, SPT-8.

RENTER holds the machine; TENANT is another wallet of theirs; STRANGER wants the machine and pays more.
"""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors
from anchor_client.generated.pdas import find_rental
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, LISTING, RENTER, RIVAL, STRANGER, TENANT
from .harness.outcome import expect
from .harness.reference import ceil_div
from .harness.spot import (
    BEST,
    GRACE,
    HELD_AT,
    LONG,
    challenged,
    compensation,
    held,
    outbid,
    place_bid,
    preempt,
    register_stranger,
    take_over,
    withdraw_challenger,
)
from .harness.terms import HOUR
from .harness.world import World

QUARTER = constants.GRACE_MEMORY
LEAST_GRACE = constants.LEAST_GRACE
ABOVE_ALL = ON_DEMAND_USD
"""Nobody can outbid it with a bid."""


def shield(world: World) -> Pubkey:
    """The holder's second wallet takes the place of everyone who could wait."""
    return challenged(world, TENANT, bid=ABOVE_ALL)


def withdraw(world: World) -> None:
    world.act(withdraw_challenger(world, world.listing().challenger))


def test_attack__second_wallet_comes_and_goes__gives_way_to_who_comes_in_between(world: World) -> None:
    """The rival waits 30 seconds, whoever beats them takes the machine, and the holder loses it."""
    register_stranger(world)
    holder = held(world)
    shield(world)
    world.run(GRACE - 1)
    withdraw(world)
    world.run(1)
    world.act(place_bid(world, STRANGER, bid=BEST))
    assert world.listing().preempt_at == world.now + LEAST_GRACE
    world.run(1)
    world.act(outbid(world, TENANT, bid=ABOVE_ALL))
    world.run(1)
    with expect(errors.OrderBound):
        withdraw(world)
    world.run(LEAST_GRACE - 2)
    with expect(errors.OrderBound):
        withdraw(world)
    world.act(preempt(world))
    assert not world.exists(holder)


def test_attack__second_wallet_comes_again__cannot_leave_before_its_turn(world: World) -> None:
    """Even without a rival: it has to take the machine from the holder that it shields."""
    holder = held(world)
    shield(world)
    world.run(GRACE - 1)
    withdraw(world)
    world.run(1)
    again = shield(world)
    world.run(LEAST_GRACE - 1)
    with expect(errors.OrderBound):
        withdraw(world)
    world.run(1)
    world.act(preempt(world))
    assert (world.listing().current, world.exists(holder)) == (again, False)


@pytest.mark.parametrize("late", [0, 1])
def test_bound_order__machine_never_came__is_its_renters_again_once_it_is_late(world: World, late: int) -> None:
    """Anyone else may take it back then; its own renter, too, and the holder gets their compensation."""
    register_stranger(world)
    held(world)
    challenged(world)
    world.run(1)
    world.act(outbid(world, STRANGER, bid=ABOVE_ALL))
    bound = world.listing().challenger
    world.wait(world.listing().preempt_at + world.rental(bound).provision_timeout - world.now + late)
    if not late:
        with expect(errors.OrderBound):
            withdraw(world)
        return
    due, before = compensation(world, bound), world.tokens(RENTER)
    withdraw(world)
    assert (world.tokens(RENTER), world.exists(bound)) == (before + due, False)


def test_attack__holder_comes_back_after_each_withdrawal__has_a_bound_order_in_its_way(world: World) -> None:
    """A holder who leaves and comes back has a whole grace again, but their second wallet may not leave again."""
    register_stranger(world)
    holder = held(world)
    shield(world)
    world.run(GRACE - 1)
    leave = withdraw_challenger(world, world.listing().challenger)
    back = world.open_rental(RENTER, kind=RentalKind.SPOT, bid=HELD_AT, duration=LONG)
    world.act(leave, world.stop_rental(holder), back)
    again = world.listing().current
    world.act(world.accept_rental(again), world.start_rental(again))
    world.run(1)
    shield(world)
    world.run(GRACE - 1)
    with expect(errors.OrderBound):
        withdraw(world)
    with expect(errors.TakeOverDue):
        left = withdraw_challenger(world, world.listing().challenger, holder=None, holder_payout=None)
        world.act(world.stop_rental(again), left)
    world.run(1)
    world.act(preempt(world))
    assert not world.exists(again)


def test_attack__many_wallets__keep_nobody_away_for_longer_than_one_grace(world: World) -> None:
    """A new wallet for each order: within a grace and a half of the rival's first try the machine changes hands."""
    register_stranger(world)
    world.act(world.register_renter(RIVAL))
    holder = held(world)
    began = world.now
    shield(world)
    while world.exists(holder):
        world.run(1)
        listing = world.listing()
        if listing.challenger != Pubkey.default() and world.now >= listing.preempt_at:
            world.act(preempt(world))
        elif listing.challenger == Pubkey.default():
            world.act(place_bid(world, STRANGER, bid=BEST))
        elif world.rental(listing.challenger).renter == STRANGER:
            world.act(outbid(world, RIVAL, kind=RentalKind.ON_DEMAND))
        elif listing.preempt_at - world.now == 1 and not listing.is_bound:
            withdraw(world)
        assert world.now - began <= GRACE + LEAST_GRACE + 1


def test_attack__order_withdrawal_and_next_order__never_share_a_second(world: World) -> None:
    """So no transaction, and no bundle of them, changes one for another while nobody else can come."""
    register_stranger(world)
    held(world)
    nonce = world.profile(TENANT).next_nonce
    placing = place_bid(world, TENANT, bid=ABOVE_ALL)
    world.act(placing)
    with expect(errors.JustPlaced):
        withdraw(world)
    world.run(1)
    leaving = withdraw_challenger(world, find_rental(TENANT, nonce)[0])
    again = place_bid(world, TENANT, bid=ABOVE_ALL)
    with expect(errors.JustWithdrawn):
        world.act(leaving, again)
    world.act(leaving)
    with expect(errors.JustWithdrawn):
        world.act(place_bid(world, STRANGER, bid=BEST))
    world.run(1)
    world.act(place_bid(world, STRANGER, bid=BEST))


@pytest.mark.parametrize(
    ("waited", "rest"), [(1, GRACE - 1), (GRACE - LEAST_GRACE, LEAST_GRACE), (GRACE - 1, LEAST_GRACE), (GRACE + 5, 30)]
)
def test_grace__order_withdrawn__leaves_the_holder_the_rest(world: World, waited: int, rest: int) -> None:
    held(world)
    challenged(world)
    world.run(waited)
    withdraw(world)
    world.run(1)
    world.act(place_bid(world))
    assert world.listing().preempt_at == world.now + rest
    world.run(rest - 1)
    with expect(errors.GraceNotOver):
        world.act(preempt(world))
    world.run(1)
    world.act(preempt(world))


@pytest.mark.parametrize(("passed", "grace", "bound"), [(QUARTER, LEAST_GRACE, True), (QUARTER + 1, GRACE, False)])
def test_grace__a_quarter_of_an_hour_after_a_withdrawal__is_whole_again(
    world: World, passed: int, grace: int, bound: bool
) -> None:
    held(world)
    challenged(world)
    world.run(GRACE - 1)
    withdraw(world)
    world.run(passed)
    world.act(place_bid(world))
    assert (world.listing().preempt_at, world.listing().is_bound) == (world.now + grace, bound)
    world.run(1)
    if bound:
        with expect(errors.OrderBound):
            withdraw(world)
    else:
        withdraw(world)


def test_grace__next_holder__has_all_of_it(world: World) -> None:
    register_stranger(world)
    holder = held(world)
    challenged(world)
    world.run(GRACE - 1)
    withdraw(world)
    world.act(world.stop_rental(holder))
    held(world)
    world.run(1)
    world.act(place_bid(world, STRANGER))
    assert world.listing().preempt_at == world.now + GRACE


def test_bound_order__host_silent__is_free_once_its_holder_is_reported(world: World) -> None:
    register_stranger(world)
    holder = held(world)
    challenged(world)
    world.act(outbid(world, STRANGER))
    world.fall_silent()
    world.act(world.report_offline(holder))
    withdraw(world)
    assert world.listing().challenger == Pubkey.default()


def test_attack__subsidised_order__compensates_as_if_it_paid_for_itself(world: World) -> None:
    """An order that the pool pays for does not keep others from a machine at a fraction of the price."""
    held(world)
    rental = world.rental(challenged(world, kind=RentalKind.ON_DEMAND, mint=GPUM, duration=HOUR))
    assert rental.subsidy_rate > 0
    spare = rental.deposit - ceil_div(rental.rate * rental.duration, HOUR)
    assert spare == ceil_div((rental.rate + rental.subsidy_rate) * rental.min_charge, HOUR)
    before = world.tokens(RENTER)
    world.run(1)
    withdraw(world)
    assert world.tokens(RENTER) == before + spare


def test_attack__holder_extends_for_ever__gives_way_at_the_same_moment(world: World) -> None:
    holder = held(world)
    challenged(world)
    deadline = world.listing().preempt_at
    world.act(world.extend_rental(holder))
    world.run(GRACE)
    assert world.listing(LISTING).preempt_at == deadline == world.now
    world.act(preempt(world))


def test_attack__holder_leaves_and_comes_back__loses_its_place_to_the_order_that_waits(world: World) -> None:
    holder = held(world)
    challenger = challenged(world)
    with expect(errors.ListingOccupied):
        world.act(
            world.stop_rental(holder), world.open_rental(RENTER, kind=RentalKind.SPOT, bid=BEST, duration=4 * HOUR)
        )
    world.act(world.stop_rental(holder))
    world.act(take_over(world))
    assert world.listing().current == challenger
