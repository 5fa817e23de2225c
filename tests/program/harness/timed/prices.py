"""Rules of prices and of a day's subsidies in seconds."""

from __future__ import annotations

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter as P

from ..actors import GPUM, HOST, LISTINGS, TENANT, WSOL
from ..changes import approve_host, post_price, seeded_rates
from ..flows import running
from ..pyth import FEED, MAX_AGE, PriceUpdate, price_by_pyth, put_update
from ..terms import DAY, HOUR, PRICE_MAX_AGE, WSOL_PRICE
from ..world import World
from .rule import UTC_DAY, Timed, rule, soon


@rule(
    "next posted price",
    P.MIN_POST_INTERVAL,
    error=errors.PostTooSoon,
    gain="one step of the price, so much earlier; only its oracle posts it",
)
def _post(world: World) -> Timed:
    world.wait(100)
    world.act(post_price(WSOL_PRICE))
    return lambda: post_price(WSOL_PRICE + 1), soon(world, world.now + 60)


@rule(
    "age of a posted price",
    "max_age",
    error=errors.PriceStale,
    ends=True,
    gain="orders at a price that is so much older than its mint's terms allow, or none",
)
def _stale(world: World) -> Timed:
    return lambda: world.open_rental(mint=WSOL), soon(world, world.now + PRICE_MAX_AGE + 1)


@rule(
    "age of a price of Pyth's",
    "max_age",
    error=errors.PriceStale,
    ends=True,
    gain="the same; a price counts from its own time, which is not the leader's",
)
def _stale_update(world: World) -> Timed:
    price_by_pyth(world)
    put_update(world, PriceUpdate(world.now))
    return lambda: world.open_rental(mint=WSOL, price_feed=FEED), soon(world, world.now + MAX_AGE + 1)


@rule(
    "price of Pyth's from the future",
    "max_age",
    error=errors.PriceStale,
    gain="the same, the other way: Pyth's time may be ahead of the leader's by as much as behind it",
)
def _early_update(world: World) -> Timed:
    price_by_pyth(world)
    put_update(world, PriceUpdate(world.now + 100 + MAX_AGE))
    return lambda: world.open_rental(mint=WSOL, price_feed=FEED), soon(world, world.now + 100)


@rule(
    "budget of the next day",
    UTC_DAY,
    error=errors.SubsidyBudgetSpent,
    gain="a day's budget, so much earlier, and no more of it",
)
def _budget(world: World) -> Timed:
    midnight = -(-world.now // DAY) * DAY
    world.wait(midnight - HOUR // 2 - world.now)
    world.act(approve_host(budget=2 * seeded_rates(GPUM).subsidy_of(HOUR)), world.heartbeat(HOST, *LISTINGS))
    rental = running(world)
    world.act(world.open_rental(TENANT, listing=LISTINGS[1]))
    return lambda: world.extend_rental(rental), soon(world, midnight)
