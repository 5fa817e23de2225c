"""A rental's subsidy is limited to a number of hours, at one rate. Invariant MKT-12."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_kind import RentalKind
from tests.markets.spec import ON_DEMAND_USD

from .harness.actors import GPUM, USDC
from .harness.changes import seeded_rates, set_parameter
from .harness.flows import running
from .harness.outcome import expect
from .harness.terms import DAY, HOUR, RESERVED_TERMS
from .harness.world import World

HOURS = 24
RATES = seeded_rates(GPUM)


@pytest.fixture
def world(world: World) -> World:
    """The market subsidises a day of a rental."""
    world.act(set_parameter(MarketParameter.SUBSIDY_MAX_HOURS, HOURS))
    return world


@pytest.mark.parametrize("duration", [HOURS * HOUR - 1, HOURS * HOUR])
def test_hours__order_within_them__has_the_whole_subsidy(world: World, duration: int) -> None:
    event = world.act(world.open_rental(duration=duration)).event(events.RentalOpened)
    assert (event.subsidy_rate, event.subsidy) == (RATES.subsidy, RATES.subsidy_of(duration))


@pytest.mark.parametrize("duration", [HOURS * HOUR + 1, 3 * DAY, 100 * DAY])
def test_hours__longer_order__has_the_same_sum_spread_over_its_time(world: World, duration: int) -> None:
    most = RATES.subsidy_of(HOURS * HOUR)
    event = world.act(world.open_rental(duration=duration)).event(events.RentalOpened)
    assert event.subsidy_rate == most * HOUR // duration < RATES.subsidy
    assert most - duration // HOUR - 1 <= event.subsidy <= most


@pytest.mark.parametrize("term", RESERVED_TERMS)
def test_hours__reserved_term__is_subsidised_as_long(world: World, term: int) -> None:
    event = world.act(world.open_rental(kind=RentalKind.RESERVED, duration=term)).event(events.RentalOpened)
    discounted = seeded_rates(GPUM, ON_DEMAND_USD - ON_DEMAND_USD // 10)
    assert event.subsidy <= discounted.subsidy_of(HOURS * HOUR)


def test_hours__extension_past_them__is_refused(world: World) -> None:
    """Renewing in small steps is no way around: for more, rent again."""
    rental = running(world)
    world.act(world.extend_rental(rental, (HOURS - 1) * HOUR))
    with expect(errors.SubsidyHoursSpent):
        world.act(world.extend_rental(rental, 1))


def test_hours__order_that_is_longer__is_not_extended(world: World) -> None:
    rental = running(world, duration=HOURS * HOUR + 1)
    with expect(errors.SubsidyHoursSpent):
        world.act(world.extend_rental(rental, 1))


def test_hours__without_subsidy__do_not_matter(world: World) -> None:
    rental = running(world, mint=USDC)
    world.act(world.extend_rental(rental, 50 * DAY))


def test_hours__parameter__is_that_of_the_order(world: World) -> None:
    world.act(set_parameter(MarketParameter.SUBSIDY_MAX_HOURS, 1))
    rental = running(world)
    with expect(errors.SubsidyHoursSpent):
        world.act(world.extend_rental(rental, 1))
    world.act(set_parameter(MarketParameter.SUBSIDY_MAX_HOURS, 2))
    world.act(world.extend_rental(rental, HOUR))
