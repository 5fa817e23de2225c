"""No more than a share of a vault's subsidy pool leaves it in a day. Invariants MKT-3, MKT-15."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.constants import BPS
from anchor_client.generated.types.market_parameter import MarketParameter
from tests.markets.spec import spec_with

from .harness.actors import AUTHORITY, GPUM, HOST, LISTINGS, RENTER, RIVAL, RIVAL_LISTING, TENANT, USDC
from .harness.changes import approve_host, respecify, seeded_rates, set_parameter, set_terms, withdraw_unreserved
from .harness.flows import matched, opened, requested, running
from .harness.outcome import expect
from .harness.staking import set_gpu_model
from .harness.terms import DAY, HOUR, U64_MAX, asking
from .harness.tokens import put_tokens
from .harness.world import World

RATES = seeded_rates(GPUM)
WHOLE = RATES.subsidy_of(HOUR)
"""Subsidy that an hour of a seeded machine draws."""
SHARE = WHOLE * 3 // 2
"""Amount that may leave the second vault on the first day."""
FUNDED = SHARE * 10
MIDNIGHT = -(-1_800_000_000 // DAY) * DAY
DEAREST_USD = 2**32 - 1


@pytest.fixture
def world(world: World) -> World:
    """A new day has just begun, and an hour's subsidy and a half may leave the second vault."""
    world.act(world.fund_subsidy(AUTHORITY, FUNDED, shard=1))
    world.wait(MIDNIGHT - world.now)
    world.act(world.heartbeat(HOST, *LISTINGS), world.heartbeat(RIVAL, RIVAL_LISTING))
    return world


def drawn(world: World, number: int, renter: Pubkey = RENTER, **order: object) -> int:
    """Subsidy that a new order draws of the second vault's pool."""
    act = world.open_rental(renter, LISTINGS[number], shard=1, **order)
    return world.act(act).event(events.RentalOpened).subsidy


def left(world: World) -> int:
    """Amount that may leave the second vault's pool today, by what the documentation says."""
    vault = world.vault(shard=1)
    gone = vault.subsidy_drawn if vault.subsidy_day == world.now // DAY else 0
    return max((vault.subsidy_pool + gone) * world.market().subsidy_daily_bps // BPS - gone, 0)


def test_share__budgets_without_end_over_all_hosts__take_no_more_in_a_day(world: World) -> None:
    """An ordinary vote approves its own hosts for any budget, and their second wallet rents their dearest machines."""
    world.act(approve_host(budget=U64_MAX), approve_host(RIVAL, budget=U64_MAX))
    world.act(set_gpu_model(1, 100, DEAREST_USD), set_terms(GPUM, subsidy_bps=8_500))
    put_tokens(world.cluster, GPUM, TENANT, 10**17)
    before = world.vault().subsidy_pool
    for listing in (*LISTINGS, RIVAL_LISTING):
        world.act(respecify(listing, on_demand_usd=DEAREST_USD))
        world.act(world.open_rental(TENANT, listing, duration=90 * DAY))
    assert before * 9 // 10 <= world.vault().subsidy_pool < before


def test_share__order_past_it__has_the_rest_at_one_rate(world: World) -> None:
    assert drawn(world, 0) == WHOLE
    event = world.act(world.open_rental(listing=LISTINGS[1], shard=1, duration=2 * HOUR)).event(events.RentalOpened)
    rest = SHARE - WHOLE
    assert (event.subsidy_rate, rest - 2 <= event.subsidy <= rest) == (rest // 2, True)
    assert drawn(world, 2) <= 2
    pays_all = world.rental(world.listing(LISTINGS[2]).current)
    assert abs(pays_all.rate - seeded_rates(GPUM, subsidy_bps=0).rate) <= 3


@pytest.mark.parametrize("spare", [-1, 0])
def test_share__order_around_it__draws_no_more(world: World, spare: int) -> None:
    world.act(withdraw_unreserved(FUNDED - WHOLE * 10 - spare * 10, shard=1))
    assert (left(world), drawn(world, 0) == WHOLE) == (WHOLE + spare, spare == 0)


@pytest.mark.parametrize("pool", [0, 9])
def test_share__empty_pool__leaves_orders_at_the_full_price(world: World, pool: int) -> None:
    world.act(withdraw_unreserved(FUNDED - pool, shard=1))
    rental = world.rental(opened(world, shard=1))
    assert (rental.rate, rental.subsidy_rate, rental.subsidy_day) == (seeded_rates(GPUM, subsidy_bps=0).rate, 0, 0)
    assert world.vault(shard=1).subsidy_pool == pool


def test_share__order_and_withdraw__leaves_it_as_it_was(world: World) -> None:
    """Else anyone would use the day's subsidies up for the fees of transactions."""
    for _ in range(4):
        world.act(world.stop_rental(opened(world, TENANT, shard=1)))
    vault = world.vault(shard=1)
    assert (vault.subsidy_drawn, vault.subsidy_pool) == (0, FUNDED)
    assert drawn(world, 1) == WHOLE


def test_share__unearned_part__may_leave_again_that_day(world: World) -> None:
    rental = running(world, shard=1)
    world.run(HOUR // 2)
    event = world.act(world.stop_rental(rental)).event(events.RentalClosed)
    assert world.vault(shard=1).subsidy_drawn == WHOLE - event.subsidy_returned > 0
    assert left(world) == SHARE - WHOLE + event.subsidy_returned


def test_share__midnight__begins_anew_and_is_of_what_is_there(world: World) -> None:
    drawn(world, 0)
    drawn(world, 1)
    world.wait(DAY - 1)
    world.act(world.heartbeat(HOST, *LISTINGS))
    assert drawn(world, 2) <= 2
    world.wait(1)
    assert left(world) == world.vault(shard=1).subsidy_pool // 10 < SHARE
    assert drawn(world, 3) == WHOLE


def test_share__returned_on_another_day__may_leave_on_that_one(world: World) -> None:
    """It makes room for what it is itself, and never for more than the day's share of the pool."""
    world.wait(DAY - 1)
    world.act(world.heartbeat(HOST, *LISTINGS))
    rental = opened(world, TENANT, shard=1)
    world.wait(1)
    world.act(world.stop_rental(rental))
    assert world.vault(shard=1).subsidy_drawn == WHOLE and left(world) == SHARE
    assert drawn(world, 1) == WHOLE == world.vault(shard=1).subsidy_drawn
    world.act(world.stop_rental(world.listing(LISTINGS[1]).current))
    assert world.vault(shard=1).subsidy_pool == FUNDED


def test_share__more_returns_than_was_drawn_that_day__leaves_no_more_than_a_share(world: World) -> None:
    world.wait(DAY - 1)
    world.act(world.heartbeat(HOST, *LISTINGS), set_parameter(MarketParameter.ORDER_MIN_USD, 0))
    rental = opened(world, TENANT, shard=1)
    world.wait(1)
    drawn(world, 1, duration=HOUR // 2)
    world.act(world.stop_rental(rental))
    vault = world.vault(shard=1)
    assert (vault.subsidy_drawn, left(world)) == (0, vault.subsidy_pool // 10)


@pytest.mark.parametrize("spare", [-1, 0])
def test_share__extension_around_it__is_refused_past_it(world: World, spare: int) -> None:
    rental = running(world, shard=1)
    added = RATES.subsidy_of(2 * HOUR) - WHOLE
    world.act(world.fund_subsidy(AUTHORITY, (WHOLE + added + spare) * 10 - FUNDED, shard=1))
    assert left(world) == added + spare
    if spare < 0:
        with expect(errors.SubsidyShareSpent):
            world.act(world.extend_rental(rental))
    else:
        world.act(world.extend_rental(rental))
        assert (left(world), world.vault(shard=1).subsidy_drawn) == (0, WHOLE + added)


def test_share__extension_without_a_subsidy__needs_none(world: World) -> None:
    drawn(world, 0)
    drawn(world, 1)
    drawn(world, 2)
    rental = running(world, listing=LISTINGS[3], shard=1)
    assert world.rental(rental).subsidy_rate == 0
    world.act(world.extend_rental(rental))


def test_share__other_vaults_and_mints__have_their_own(world: World) -> None:
    drawn(world, 0)
    drawn(world, 1)
    assert world.act(world.open_rental(listing=LISTINGS[2])).event(events.RentalOpened).subsidy == WHOLE
    world.act(world.open_rental(listing=LISTINGS[3], mint=USDC))
    assert (world.vault(USDC).subsidy_drawn, world.vault(USDC).subsidy_day) == (0, 0)


def test_share__funded_or_withdrawn__is_of_what_is_there(world: World) -> None:
    drawn(world, 0)
    world.act(world.fund_subsidy(AUTHORITY, WHOLE * 10, shard=1))
    assert left(world) == SHARE
    world.act(withdraw_unreserved(world.vault(shard=1).subsidy_pool - WHOLE, shard=1))
    assert (left(world), drawn(world, 1)) == (0, 0)


def test_share__lowered__applies_at_once(world: World) -> None:
    drawn(world, 0)
    world.act(set_parameter(MarketParameter.SUBSIDY_DAILY_BPS, 1))
    assert (left(world), drawn(world, 1)) == (0, 0)
    world.act(set_parameter(MarketParameter.SUBSIDY_DAILY_BPS, 1_000))
    assert drawn(world, 2) >= SHARE - WHOLE - 2


def test_share__of_a_day__is_never_more_than_a_tenth(world: World) -> None:
    for value in (0, 1_001, BPS):
        with expect(errors.ParameterOutOfBounds):
            world.act(set_parameter(MarketParameter.SUBSIDY_DAILY_BPS, value))


def test_share__request__draws_on_the_vault_that_holds_its_deposit(world: World) -> None:
    rental = world.rental(matched(world, requested(world, shard=1)))
    assert world.vault(shard=1).subsidy_drawn == WHOLE == RATES.subsidy_of(rental.duration)


def test_share__request_that_cannot_pay_the_full_price__waits(world: World) -> None:
    """Its deposit is the most that its renter pays."""
    most = RATES.deposit(HOUR)
    usd = spec_with().on_demand_usd
    request = requested(world, shard=1, order=asking(deposit=most, max_usd=usd, expires_at=world.now + 2 * DAY))
    drawn(world, 1)
    drawn(world, 2)
    with expect(errors.CostAboveMaximum):
        world.act(world.match_request(request))
    world.wait(DAY)
    world.act(world.heartbeat(HOST, *LISTINGS))
    world.act(world.match_request(request))
