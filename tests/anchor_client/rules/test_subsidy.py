"""Subsidies of orders and extensions, predicted as the program decides them."""

from __future__ import annotations

import pytest

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types import MarketParameter, RentalKind
from anchor_client.market.host.offers import choose_vault
from anchor_client.rules.order import quote_ceil
from anchor_client.rules.subsidy import Cover, pool_left, require_budget, require_share, require_subsidised_for
from tests.program.harness.actors import AUTHORITY, GPUM, HOST, LISTINGS, TENANT
from tests.program.harness.changes import approve_host, seeded_rates, set_parameter
from tests.program.harness.flows import opened, running
from tests.program.harness.market import seeded_world
from tests.program.harness.outcome import expect
from tests.program.harness.terms import DAY, HOUR
from tests.program.harness.world import World

WHOLE = seeded_rates(GPUM).subsidy_of(HOUR)
MIDNIGHT = -(-1_800_000_000 // DAY) * DAY


@pytest.fixture
def world() -> World:
    """A host with a budget of two and a half hours' subsidy, in the first second of a day."""
    world = seeded_world()
    world.act(approve_host(budget=WHOLE * 5 // 2), set_parameter(MarketParameter.SUBSIDY_MAX_HOURS, 2))
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    return world


def check(world: World, number: int, duration: int = HOUR) -> None:
    """An order of the host's machine of this number draws what is foreseen."""
    listing = world.listing(LISTINGS[number])
    cover = Cover.of(listing, world.host(), world.now)
    kind, mint = RentalKind.ON_DEMAND, world.payment_mint(GPUM)
    quote = quote_ceil(listing.on_demand_usd, kind, duration, world.market(), mint, cover=cover)
    event = world.act(world.open_rental(TENANT, LISTINGS[number], duration=duration)).event(events.RentalOpened)
    assert (event.subsidy, event.subsidy_rate, event.deposit) == (quote.subsidy, quote.rates.subsidy, quote.deposit)


def test_cover__orders_endings_and_days__is_what_the_program_lets_orders_draw(world: World) -> None:
    world.act(world.stop_rental(opened(world)))
    check(world, 0)
    world.act(world.stop_rental(opened(world, listing=LISTINGS[1])))
    check(world, 1)
    check(world, 2, 3 * HOUR)
    check(world, 3)
    world.act(world.stop_rental(world.listing(LISTINGS[2]).current))
    check(world, 4)
    world.act(world.update_reputation(HOST, *LISTINGS))
    check(world, 5)
    world.wait(DAY)
    world.act(world.heartbeat(HOST, *LISTINGS))
    check(world, 6, 5 * HOUR)
    check(world, 7)


@pytest.mark.parametrize("at", [MIDNIGHT, MIDNIGHT + DAY - HOUR // 2])
@pytest.mark.parametrize("spare", [-1, 0])
def test_extension__around_what_is_left__is_refused_as_the_program_does(world: World, at: int, spare: int) -> None:
    """On another day all that may still return has to fit, on the same what is added."""
    world.wait(at - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = running(world)
    world.run(HOUR // 2)
    seconds, state = 600, world.rental(rental)
    drawn = seeded_rates(GPUM).subsidy_of(HOUR + seconds)
    booked = world.host().subsidy_booked if world.host().subsidy_day == world.now // DAY else 0
    drawn -= 0 if booked else seeded_rates(GPUM).subsidy_of(HOUR // 2)
    world.act(approve_host(budget=drawn + spare))
    assert booked in (0, WHOLE)
    cover = Cover.of(world.listing(), world.host(), world.now)
    if spare < 0:
        with pytest.raises(errors.SubsidyBudgetSpent):
            require_budget(state, world.listing(), cover, HOUR + seconds, world.now)
        with expect(errors.SubsidyBudgetSpent):
            world.act(world.extend_rental(rental, seconds))
    else:
        require_budget(state, world.listing(), cover, HOUR + seconds, world.now)
        world.act(world.extend_rental(rental, seconds))


def test_extension__past_the_hours__is_refused(world: World) -> None:
    rental = running(world)
    state, market = world.rental(rental), world.market()
    require_subsidised_for(state, market, 2 * HOUR)
    with pytest.raises(errors.SubsidyHoursSpent):
        require_subsidised_for(state, market, 2 * HOUR + 1)


def test_cover__pools_share_of_the_day__is_what_the_program_lets_orders_draw(world: World) -> None:
    """The second vault gives an hour's subsidy and a half on the first day, and less on the next."""
    world.act(world.fund_subsidy(AUTHORITY, WHOLE * 15, shard=1), approve_host(budget=WHOLE * 100))
    mint = world.payment_mint(GPUM)

    def order(number: int, duration: int = HOUR) -> int:
        listing, vault = world.listing(LISTINGS[number]), world.vault(shard=1)
        cover = Cover.of(listing, world.host(), world.now).within(vault, world.market(), world.now)
        kind = RentalKind.ON_DEMAND
        quote = quote_ceil(listing.on_demand_usd, kind, duration, world.market(), mint, cover=cover)
        act = world.open_rental(TENANT, LISTINGS[number], duration=duration, shard=1)
        event = world.act(act).event(events.RentalOpened)
        assert (event.subsidy, event.subsidy_rate, event.deposit) == (quote.subsidy, quote.rates.subsidy, quote.deposit)
        return event.subsidy

    world.act(world.stop_rental(opened(world, shard=1)))
    assert order(0) == WHOLE
    assert 0 < order(1, 2 * HOUR) < WHOLE
    world.act(world.stop_rental(world.listing().current))
    assert order(2) == WHOLE
    world.wait(DAY)
    world.act(world.heartbeat(HOST, *LISTINGS))
    order(3)
    order(4)


@pytest.mark.parametrize("spare", [-1, 0])
def test_extension__around_the_share__is_refused_as_the_program_does(world: World, spare: int) -> None:
    world.act(world.fund_subsidy(AUTHORITY, WHOLE * 10, shard=1))
    rental = running(world, shard=1)
    state = world.rental(rental)
    added = seeded_rates(GPUM).subsidy_of(HOUR + 600) - WHOLE
    world.act(world.fund_subsidy(AUTHORITY, (added + spare) * 10, shard=1))
    vault, market = world.vault(shard=1), world.market()
    assert pool_left(vault, market, world.now) == added + spare
    if spare < 0:
        with pytest.raises(errors.SubsidyShareSpent):
            require_share(state, vault, market, HOUR + 600, world.now)
        with expect(errors.SubsidyShareSpent):
            world.act(world.extend_rental(rental, 600))
    else:
        require_share(state, vault, market, HOUR + 600, world.now)
        world.act(world.extend_rental(rental, 600))


def test_choose_vault__whole_subsidy_nowhere__is_the_one_that_gives_most(world: World) -> None:
    """The one with fewer rentals, if both give all of it or an order has none."""
    first, second = (find_vault(GPUM, shard)[0] for shard in (0, 1))
    world.act(world.fund_subsidy(AUTHORITY, WHOLE * 10, shard=1))
    opened(world)

    def chosen(subsidy: int) -> object:
        vaults = {first: world.vault(), second: world.vault(shard=1)}
        return choose_vault(vaults, world.market(), subsidy, world.now)[0]

    assert (chosen(0), chosen(WHOLE), chosen(WHOLE + 1)) == (second, second, first)
    opened(world, listing=LISTINGS[1], shard=1)
    assert (chosen(WHOLE), chosen(0)) == (first, first)
