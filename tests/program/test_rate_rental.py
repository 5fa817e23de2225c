"""rate_rental: the renter rates a rental once, while it runs or can be contested. Invariants HST-4, RNT-9."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import HOST, LISTING, LISTINGS, RENTER, RIVAL_LISTING, STRANGER, TENANT, USDC
from .harness.flows import Flow, accepted, finished, opened, running
from .harness.outcome import expect
from .harness.reference import Rates, paid_usd
from .harness.terms import DAY, GPUM_PRICE, HOUR
from .harness.world import World

MIN_RATED_SECONDS = 600


def weight_in(world: World, rental: Pubkey, seconds: int) -> int:
    """Micro-USD that the rental's renter has paid for themselves in `seconds`."""
    state = world.rental(rental)
    rates = Rates(state.rate, state.subsidy_rate, state.burn_rate, state.fee_rate)
    return paid_usd(rates, ON_DEMAND_USD, seconds)


@pytest.mark.parametrize("rating", [1, 2, 3, 4, 5])
def test_rate_rental__renter__weighs_what_he_paid(world: World, rating: int) -> None:
    rental = running(world)
    world.run(1_001)
    listing = world.listing()
    outcome = world.act(world.rate_rental(rental, rating))
    weight = weight_in(world, rental, 1_001)
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
    long = weight_in(world, first, 1_000)
    world.act(world.rate_rental(first, 5), world.stop_rental(first))
    second = running(world, TENANT, mint=USDC)
    world.run(700)
    world.act(world.rate_rental(second, 2))
    short = weight_in(world, second, 700)
    assert world.listing().rating_sum == 5 * long + 2 * short
    assert world.listing().rating_weight == long + short


def test_rate_rental__paid_time_over_but_not_closed__still_counts(world: World) -> None:
    rental = running(world)
    world.run(HOUR + 60)
    weight = world.act(world.rate_rental(rental)).event(events.RentalRated).weight
    assert weight == weight_in(world, rental, HOUR)


@pytest.mark.parametrize("early", [1, 0])
def test_rate_rental__around_the_least_time__is_refused_before_it(world: World, early: int) -> None:
    rental = running(world)
    world.run(MIN_RATED_SECONDS - early)
    if early:
        with expect(errors.RatedTooSoon):
            world.act(world.rate_rental(rental))
    else:
        world.act(world.rate_rental(rental)).event(events.RentalRated)


@pytest.mark.parametrize("wait", [0, DAY - 1])
def test_rate_rental__finished__weighs_what_was_used_until_it_can_no_longer_be_contested(
    world: World, wait: int
) -> None:
    rental = finished(world, seconds=1_001)
    world.wait(wait)
    event = world.act(world.rate_rental(rental, 2)).event(events.RentalRated)
    assert (event.rating, event.weight) == (2, weight_in(world, rental, 1_001))
    assert (world.listing().rating_sum, world.listing().rating_weight) == (2 * event.weight, event.weight)
    with expect(errors.AlreadyRated):
        world.act(world.rate_rental(rental, 5))
    world.wait(DAY - wait)
    world.act(world.release_holdback(rental))


def test_rate_rental__finished_and_no_longer_contestable__is_refused(world: World) -> None:
    rental = finished(world)
    world.wait(DAY)
    with expect(errors.ContestWindowOver):
        world.act(world.rate_rental(rental))


def test_rate_rental__finished_too_soon__is_refused(world: World) -> None:
    rental = finished(world, seconds=MIN_RATED_SECONDS - 1)
    world.wait(HOUR)
    with expect(errors.RatedTooSoon):
        world.act(world.rate_rental(rental))


def test_rate_rental__without_subsidy__weighs_the_whole_value(world: World) -> None:
    rental = running(world, mint=USDC)
    world.run(HOUR)
    assert world.act(world.rate_rental(rental)).event(events.RentalRated).weight == ON_DEMAND_USD


def test_rate_rental__host_rates_himself_from_another_wallet__pays_the_fees_for_it(world: World) -> None:
    """Unsubsidised: 10 % fee and 2.5 % extra fee of every dollar that their rating weighs, which the pair
    of wallets loses. To lift a mean of r by one point with a past weight of W takes W / (4 - r) of it."""
    sides = (RENTER, HOST)
    before = sum(world.tokens(wallet, USDC) for wallet in sides)
    rental = running(world, mint=USDC)
    world.run(HOUR)
    weight = world.act(world.rate_rental(rental)).event(events.RentalRated).weight
    world.act(world.finalize_rental(rental))
    lost = before - sum(world.tokens(wallet, USDC) for wallet in sides)
    assert 0.1249 < lost / weight < 0.1251


def test_rate_rental__subsidised_host_rates_himself__weighs_only_what_he_paid(world: World) -> None:
    """The pool's part of the price adds no weight: a dollar of weight takes a dollar of the renter's own tokens."""
    before = world.tokens(RENTER)
    rental = running(world)
    world.run(HOUR)
    weight = world.act(world.rate_rental(rental)).event(events.RentalRated).weight
    world.act(world.finalize_rental(rental))
    paid_usd_floor = (before - world.tokens(RENTER)) * GPUM_PRICE // 10**12
    assert weight <= paid_usd_floor < ON_DEMAND_USD


@pytest.mark.parametrize("rating", [0, 6, 255])
def test_rate_rental__out_of_bounds__is_refused(world: World, rating: int) -> None:
    rental = running(world)
    world.run(MIN_RATED_SECONDS)
    with expect(errors.InvalidRating):
        world.act(world.rate_rental(rental, rating))


def test_rate_rental__twice__is_refused(world: World) -> None:
    rental = running(world)
    world.run(MIN_RATED_SECONDS)
    world.act(world.rate_rental(rental, 1))
    with expect(errors.AlreadyRated):
        world.act(world.rate_rental(rental, 5))


@pytest.mark.parametrize(
    ("bring", "error"),
    [(opened, errors.WrongRentalState), (accepted, errors.WrongRentalState), (running, errors.RatedTooSoon)],
)
def test_rate_rental__nothing_used__is_refused(world: World, bring: Flow, error: type[errors.ProgramError]) -> None:
    with expect(error):
        world.act(world.rate_rental(bring(world)))


@pytest.mark.parametrize("signer", [TENANT, HOST, STRANGER])
def test_rate_rental__not_the_renter__is_refused(world: World, signer: Pubkey) -> None:
    rental = running(world)
    world.run(MIN_RATED_SECONDS)
    with expect(errors.WrongRenter):
        world.act(world.rate_rental(rental, renter=signer))


def test_rate_rental__another_listing__is_refused(world: World) -> None:
    rental = running(world)
    world.run(MIN_RATED_SECONDS)
    for listing in (LISTINGS[1], RIVAL_LISTING):
        with expect(errors.WrongListing):
            world.act(world.rate_rental(rental, listing=listing))
