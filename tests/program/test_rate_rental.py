"""rate_rental: the renter rates a running rental once."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events

from .harness.actors import HOST, LISTING, LISTINGS, RIVAL_LISTING, STRANGER, TENANT
from .harness.flows import Flow, accepted, opened, running
from .harness.outcome import expect
from .harness.terms import HOUR, ON_DEMAND_USD
from .harness.world import World


@pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
def test_rate_rental__renter__weighs_what_was_used(world: World, rating: int) -> None:
    rental = running(world)
    world.run(1_001)
    listing = world.listing()
    outcome = world.act(world.rate_rental(rental, rating))
    weight = ON_DEMAND_USD * 1_001 // HOUR
    assert outcome.event(events.RentalRated) == events.RentalRated(
        rental=rental,
        listing=LISTING,
        rating=rating,
        weight=weight,
        at=world.now,
        seq=4,
        listing_seq=listing.seq + 1,
    )
    assert (world.listing().rating_sum, world.listing().rating_weight) == (rating * weight, weight)
    assert world.rental(rental).rating == rating


def test_rate_rental__several_rentals__add_up(world: World) -> None:
    first = running(world)
    world.run(1_000)
    world.act(world.rate_rental(first, 5), world.stop_rental(first))
    second = running(world, TENANT)
    world.run(500)
    world.act(world.rate_rental(second, 2))
    long, short = ON_DEMAND_USD * 1_000 // HOUR, ON_DEMAND_USD * 500 // HOUR
    assert world.listing().rating_sum == 5 * long + 2 * short
    assert world.listing().rating_weight == long + short


def test_rate_rental__paid_time_over_but_not_closed__still_counts(world: World) -> None:
    rental = running(world)
    world.run(HOUR + 60)
    assert world.act(world.rate_rental(rental)).event(events.RentalRated).weight == ON_DEMAND_USD


@pytest.mark.parametrize("rating", [0, 6, 255])
def test_rate_rental__out_of_bounds__is_refused(world: World, rating: int) -> None:
    rental = running(world)
    world.run(100)
    with expect(errors.InvalidRating):
        world.act(world.rate_rental(rental, rating))


def test_rate_rental__twice__is_refused(world: World) -> None:
    rental = running(world)
    world.run(100)
    world.act(world.rate_rental(rental, 1))
    with expect(errors.AlreadyRated):
        world.act(world.rate_rental(rental, 5))


@pytest.mark.parametrize("bring", [opened, accepted, running])
def test_rate_rental__nothing_used__is_refused(world: World, bring: Flow) -> None:
    with expect(errors.WrongRentalState):
        world.act(world.rate_rental(bring(world)))


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_rate_rental__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    rental = running(world)
    world.run(100)
    with expect(errors.WrongRenter):
        world.act(world.rate_rental(rental, renter=signer))


def test_rate_rental__another_listing__is_refused(world: World) -> None:
    rental = running(world)
    world.run(100)
    for listing in (LISTINGS[1], RIVAL_LISTING):
        with expect(errors.WrongListing):
            world.act(world.rate_rental(rental, listing=listing))
