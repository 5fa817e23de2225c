"""take_over: the order that waits takes a machine that fell idle. Invariants RNT-4, SPT-1, SPT-5."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.market_parameter import MarketParameter

from .harness.actors import GPUM, LISTING, LISTINGS
from .harness.changes import set_parameter
from .harness.outcome import expect
from .harness.spot import challenged, held, take_over
from .harness.world import World

PROVISION_TIMEOUT = 900


@pytest.mark.parametrize("waited", [0, 1, 300])
def test_take_over__idle_machine__begins_the_time_to_start(world: World, waited: int) -> None:
    holder = held(world)
    challenger = challenged(world)
    world.act(world.stop_rental(holder))
    world.run(waited)
    seq, opened = world.listing().seq, world.listing().opened
    event = world.act(take_over(world)).event(events.RentalTookOver)
    assert event == events.RentalTookOver(
        listing=LISTING,
        rental=challenger,
        preempted=Pubkey.default(),
        start_by=world.now + PROVISION_TIMEOUT,
        at=world.now,
        seq=2,
        listing_seq=seq + 1,
        mint=GPUM,
        compensation=0,
        compensation_kept=0,
        vault_seq=0,
    )
    listing = world.listing()
    assert (listing.current, listing.challenger, listing.preempt_at) == (challenger, Pubkey.default(), 0)
    assert (listing.opened, world.rental(challenger).created_at) == (opened + 1, world.now)
    world.act(world.accept_rental(challenger))
    world.act(world.start_rental(challenger))


def test_take_over__silence_that_the_new_rental_allows__counts_from_then(world: World) -> None:
    holder = held(world)
    world.act(set_parameter(MarketParameter.OFFLINE_AFTER, 100))
    challenger = challenged(world)
    world.act(world.stop_rental(holder))
    assert world.listing().offline_after == 300
    world.wait(101)
    with expect(errors.ListingOffline):
        world.act(take_over(world))
    world.act(world.mark_silent())
    world.act(set_parameter(MarketParameter.OFFLINE_AFTER, 1_000))
    with expect(errors.ListingOffline):
        world.act(take_over(world))
    world.act(world.heartbeat())
    world.act(take_over(world))
    assert world.listing().offline_after == world.rental(challenger).offline_after == 100


def test_take_over__twice__is_refused(world: World) -> None:
    holder = held(world)
    challenger = challenged(world)
    world.act(world.stop_rental(holder))
    world.act(take_over(world))
    with expect(errors.WrongChallenger):
        world.act(take_over(world, rental=challenger))


def test_take_over__another_rental__is_refused(world: World) -> None:
    holder = held(world)
    challenged(world)
    other = held(world, listing=LISTINGS[1])
    world.act(world.stop_rental(holder))
    with expect(errors.WrongChallenger):
        world.act(take_over(world, rental=other))
