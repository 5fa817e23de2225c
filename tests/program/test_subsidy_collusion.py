"""Gain of a host that rents from itself: at most its budget a day. Invariants MKT-11, MKT-12, MKT-13."""

from __future__ import annotations

import pytest

from anchor_client.generated import events
from tests.docs.collusion import break_even_bps
from tests.markets.spec import spec_with

from .harness.actors import GPUM, HOST, LISTINGS, TENANT
from .harness.changes import approve_host, respecify, set_terms
from .harness.flows import running
from .harness.staking import refresh_listing, set_gpu_model
from .harness.terms import DAY, HOUR
from .harness.world import World

SUBSIDY_BPS, BURN_BPS = 8_500, 2_000
"""Values that a local market starts with."""
BUDGET = 5 * 10**9
DEAREST_USD = 2**32 - 1
MIDNIGHT = -(-1_800_000_000 // DAY) * DAY


@pytest.fixture
def colluding(world: World) -> World:
    """The host lists all its machines at the highest price there is; its second wallet is the tenant's."""
    world.act(set_terms(GPUM, subsidy_bps=SUBSIDY_BPS, burn_bps=BURN_BPS), approve_host(budget=BUDGET))
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    return world


def purse(world: World) -> int:
    """The pair's balance of the market token."""
    return world.tokens(HOST) + world.tokens(TENANT)


def use_up(world: World, hours: int) -> None:
    """The pair rents every machine to its end; what it holds back comes with that."""
    world.act(world.heartbeat(HOST, *LISTINGS))
    rentals = [running(world, TENANT, listing=listing, duration=hours * HOUR) for listing in LISTINGS]
    for _ in range(hours * HOUR // 240):
        world.wait(240)
        world.act(world.heartbeat(HOST, *LISTINGS))
    for rental in rentals:
        world.act(world.finalize_rental(rental))


@pytest.mark.parametrize("price_usd", [7_380_001, DEAREST_USD])
def test_collusion__any_price_and_number_of_machines__gains_no_more_than_the_budget(
    colluding: World, price_usd: int
) -> None:
    """Before there was a budget one machine at the highest price took $3,006 an hour."""
    for listing in LISTINGS:
        colluding.act(respecify(listing, on_demand_usd=price_usd))
    before = purse(colluding)
    use_up(colluding, 1)
    use_up(colluding, 1)
    assert purse(colluding) - before <= BUDGET
    assert colluding.host().subsidy_booked <= BUDGET


def test_collusion__two_days__gains_no_more_than_two_budgets(colluding: World) -> None:
    before = purse(colluding)
    for day in range(2):
        colluding.wait(MIDNIGHT + day * DAY + 60 - colluding.now)
        use_up(colluding, 2)
        assert purse(colluding) - before <= (day + 1) * BUDGET
    assert purse(colluding) > before


@pytest.mark.parametrize(("above", "gains"), [(0, False), (-1, False), (100, True)])
def test_collusion__subsidy_around_the_one_that_breaks_even__gains_only_above(
    colluding: World, above: int, gains: bool
) -> None:
    share = break_even_bps(fee_bps=1_000, burn_bps=BURN_BPS) + above
    colluding.act(set_terms(GPUM, subsidy_bps=share, burn_bps=BURN_BPS))
    before = purse(colluding)
    rental = running(colluding, TENANT)
    colluding.run(HOUR)
    event = colluding.act(colluding.finalize_rental(rental)).event(events.RentalClosed)
    assert (purse(colluding) > before) == gains
    assert purse(colluding) - before == event.subsidy - event.fees - event.burned


def test_collusion__listing_dearer_than_its_kind__only_pays_more_fees(colluding: World) -> None:
    """The reference price holds the subsidy where the machine is worth it; all that is above costs the pair."""
    colluding.act(set_gpu_model(1, 100, spec_with().on_demand_usd // 2))
    colluding.act(refresh_listing())
    found = []
    for usd in (spec_with().on_demand_usd, 2 * spec_with().on_demand_usd, 8 * spec_with().on_demand_usd):
        colluding.act(respecify(on_demand_usd=usd), refresh_listing())
        before = purse(colluding)
        rental = running(colluding, TENANT)
        colluding.run(HOUR)
        colluding.act(colluding.finalize_rental(rental))
        found.append(purse(colluding) - before)
    assert found[0] > found[1] > found[2] and found[2] < 0
