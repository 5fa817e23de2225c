"""The subsidy follows what a machine is worth, not what its host asks. Invariant MKT-11."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, LISTING, TENANT
from .harness.changes import DECIMALS, PRICES, TERMS, respecify, seeded_rates, set_terms
from .harness.flows import opened, running
from .harness.outcome import expect
from .harness.reference import BPS, ceil_div
from .harness.spot import HELD_AT, LEAST, challenged, held
from .harness.staking import refresh_listing, set_gpu_model
from .harness.terms import DAY, HOUR
from .harness.world import World

MODEL = 1
GPUS = 2
REFERENCE_USD = 2_000_000
CAP_USD = 2**32 - 1
"""The highest price that a listing can ask."""


def subsidy_up_to(usd: int, reference_usd: int) -> int:
    """Base units an hour that the pool adds to `usd` micro-USD an hour."""
    price = ceil_div(usd * 10**6 * 10 ** DECIMALS[GPUM], PRICES[GPUM])
    covered = price * reference_usd // usd if usd > reference_usd else price
    return covered * TERMS[GPUM].subsidy_bps // BPS


def referring(world: World, reference_usd: int = REFERENCE_USD) -> World:
    """The seeded listing's model has this reference price, and the listing knows it."""
    world.act(set_gpu_model(MODEL, 100, reference_usd))
    world.act(refresh_listing())
    return world


def test_subsidy__price_at_the_cap__draws_no_more_than_the_reference_price_does(world: World) -> None:
    """A host asks the highest price there is and rents from itself: its fees are $4,294 an hour's, its subsidy $4's."""
    referring(world)
    world.act(respecify(on_demand_usd=CAP_USD))
    event = world.act(world.open_rental(renter=TENANT)).event(events.RentalOpened)
    assert event.subsidy_rate == subsidy_up_to(CAP_USD, GPUS * REFERENCE_USD)
    at_reference = seeded_rates(GPUM, GPUS * REFERENCE_USD).subsidy
    assert at_reference - 1 <= event.subsidy_rate <= at_reference
    assert event.fee_rate > 500 * event.subsidy_rate // BPS


@pytest.mark.parametrize("reference_usd", [0, 1, ON_DEMAND_USD // 2, ON_DEMAND_USD // 2 + 1])
@pytest.mark.parametrize(("kind", "duration"), [(RentalKind.ON_DEMAND, HOUR), (RentalKind.RESERVED, 7 * DAY)])
def test_subsidy__price_around_the_reference__is_of_the_lower(
    world: World, reference_usd: int, kind: RentalKind, duration: int
) -> None:
    referring(world, reference_usd)
    event = world.act(world.open_rental(kind=kind, duration=duration)).event(events.RentalOpened)
    usd = ON_DEMAND_USD - (ON_DEMAND_USD // 10 if kind is RentalKind.RESERVED else 0)
    assert event.rate_usd == usd
    assert event.subsidy_rate == subsidy_up_to(usd, GPUS * reference_usd)


@pytest.mark.parametrize("reference_usd", [0, HELD_AT // 4, HELD_AT // 2, HELD_AT // 2 + 1])
def test_subsidy__spot_bid__is_of_the_bid_up_to_the_reference(world: World, reference_usd: int) -> None:
    """The bid is the renter's own price: no host can raise what the pool adds to it above what the machine is worth."""
    referring(world, reference_usd)
    assert world.rental(held(world)).subsidy_rate == subsidy_up_to(HELD_AT, GPUS * reference_usd)
    bid = world.rental(challenged(world))
    assert bid.subsidy_rate == subsidy_up_to(LEAST, GPUS * reference_usd)


def test_subsidy__reference_price_falls__rental_that_runs_is_not_extended_at_the_old_subsidy(world: World) -> None:
    rental = running(world)
    referring(world, ON_DEMAND_USD // 2 * 97 // 100)
    world.act(world.extend_rental(rental))
    referring(world, ON_DEMAND_USD // 2 * 9 // 10)
    with expect(errors.RentalRepriced):
        world.act(world.extend_rental(rental))


def test_subsidy__none_any_more__unsubsidised_rental_is_still_extended(world: World) -> None:
    referring(world, 0)
    rental = running(world)
    assert world.rental(rental).subsidy_rate == 0
    world.act(world.extend_rental(rental))
    world.act(set_terms(GPUM, subsidy_bps=0))
    world.act(world.extend_rental(rental))
    assert world.listing(LISTING).current == rental


def test_subsidy__model_without_reference_price__order_is_taken_at_its_full_price(world: World) -> None:
    referring(world, 0)
    rental = world.rental(opened(world))
    rates = seeded_rates(GPUM, subsidy_bps=0)
    assert (rental.rate, rental.subsidy_rate, rental.burn_rate) == (rates.rate, 0, rates.burn)
