"""A host's budget and a vault's share of a day, over orders, extensions and endings."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from anchor_client.generated.constants import BPS, MAX_DURATION, SECONDS_PER_HOUR
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.math import U64_MAX, accrued_ceil, share_floor
from anchor_client.rules.rental import split, used_until_silence
from anchor_client.rules.subsidy import (
    Cover,
    day,
    pool_after,
    pool_left,
    require_budget,
    require_share,
    require_subsidised_for,
    subsidised_seconds,
    subsidy_left,
)
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import AT, accepted, grows, held_back, is_refused, parameter, rental, scaled
from tests.program.proofs.stated import Claims, holds

VAULT = {"mint": "mint", "shard": 0}


@dataclass(frozen=True)
class Pool:
    """The part of a vault's account that a day's share is about."""

    subsidy_pool: Value
    subsidy_drawn: Value
    subsidy_day: Value
    mint: str = VAULT["mint"]
    shard: int = VAULT["shard"]


def _order(given: Given, now: Value, **fixed: Value) -> tuple[SimpleNamespace, Value]:
    """An order that draws on today's budget and share, and what it draws."""
    own = SimpleNamespace(
        **VAULT,
        subsidy_rate=given.integer("subsidy_rate", 0, U64_MAX),
        duration=given.integer("duration", 1, MAX_DURATION),
        subsidy_day=day(now),
    )
    vars(own).update(fixed)
    given.assume(own.subsidy_rate * own.duration <= U64_MAX * SECONDS_PER_HOUR)
    given.product(own.subsidy_rate, own.duration)
    return own, accrued_ceil(own.subsidy_rate, own.duration)


def _pool(given: Given, now: Value) -> tuple[Pool, SimpleNamespace, Value]:
    """A pool, its market, and what has left it today."""
    is_today = given.choice("drawn_today", (True, False))
    pool = Pool(given.integer("pool", 0, U64_MAX), given.integer("drawn", 0, U64_MAX), day(now) if is_today else -1)
    market = SimpleNamespace(subsidy_daily_bps=parameter(given, MarketParameter.SUBSIDY_DAILY_BPS))
    drawn = pool.subsidy_drawn if is_today else 0
    given.assume(pool.subsidy_pool + drawn <= U64_MAX)
    return pool, market, drawn


def _budget(given: Given, now: Value) -> SimpleNamespace:
    is_today = given.choice("booked_today", (True, False))
    return SimpleNamespace(
        subsidy_budget=given.integer("budget", 0, U64_MAX),
        subsidy_booked=given.integer("booked", 0, U64_MAX),
        subsidy_day=day(now) if is_today else -1,
    )


@holds("MKT-13")
def orders_of_a_day_draw_no_more_than_the_budget(given: Given) -> Claims:
    """An order after others of its day, of whichever machine, draws no more than they left of the host's budget."""
    now = given.integer("now", 0, AT)
    host = _budget(given, now)
    before = host.subsidy_booked if host.subsidy_day == day(now) else 0
    amount = given.integer("amount", 1, U64_MAX)
    given.assume(amount <= subsidy_left(host, now))
    yield "together", before + amount <= host.subsidy_budget


@holds("MKT-13")
def a_withdrawn_order_gives_the_budget_back(given: Given) -> Claims:
    """A budget has back what an order that is withdrawn the same day has drawn, and nothing of another day's."""
    now = given.integer("now", 0, AT)
    host = _budget(given, now)
    left = subsidy_left(host, now)
    own, amount = _order(given, now)
    given.assume(amount <= left)
    cover = Cover(0, left - amount)
    yield "today", cover.after(own, now).left == left
    before, _ = _order(given, now, subsidy_rate=own.subsidy_rate, duration=own.duration, subsidy_day=day(now) - 1)
    yield "yesterday", cover.after(before, now).left == cover.left


@holds("MKT-15")
def a_withdrawn_order_gives_the_share_back(given: Given) -> Claims:
    """A draw returned the same day may leave the pool again, and no more."""
    now = given.integer("now", 0, AT)
    pool, market, drawn = _pool(given, now)
    left = pool_left(pool, market, now)
    own, amount = _order(given, now)
    given.assume(amount <= left)
    given.product(pool.subsidy_pool + drawn, BPS - market.subsidy_daily_bps)
    after = Pool(pool.subsidy_pool - amount, drawn + amount, day(now))
    yield "again", pool_left(pool_after(after, own, now), market, now) == left


@holds("MKT-15")
def a_share_is_of_its_day(given: Given) -> Claims:
    """On another day than its last the whole share of the pool may leave it."""
    now = given.integer("now", 0, AT)
    pool, market, drawn = _pool(given, now)
    given.assume(pool.subsidy_day != day(now))
    yield "whole", pool_left(pool, market, now) == share_floor(pool.subsidy_pool, market.subsidy_daily_bps)
    yield "nothing drawn", drawn == 0


@holds("MKT-15")
def an_order_draws_no_more_than_the_share(given: Given) -> Claims:
    """An order draws no more than its host's budget nor its vault's share has left."""
    now = given.integer("now", 0, AT)
    pool, market, _ = _pool(given, now)
    left = Cover(0, given.integer("left", 0, U64_MAX)).within(pool, market, now).left
    yield "share", left <= pool_left(pool, market, now)
    yield "pool", left <= pool.subsidy_pool or pool.subsidy_drawn > 0


def _extended(given: Given) -> tuple[SimpleNamespace, Value]:
    """A running rental, and the longer time that it is extended to."""
    own = rental(given, not_as_listed=False)
    seconds = given.integer("seconds", 1, MAX_DURATION)
    given.assume(own.duration < seconds)
    given.assume((own.rate + own.subsidy_rate) * seconds <= U64_MAX * SECONDS_PER_HOUR)
    scaled(given, own, own.settled)
    held_back(given, own, own.settled)
    given.product(own.subsidy_rate, own.duration)
    given.product(own.subsidy_rate, seconds - own.duration)
    return own, seconds


@holds("MKT-15")
def an_extension_draws_no_more_than_the_share(given: Given) -> Claims:
    """An extension draws no more than may leave the pool today."""
    own, seconds = _extended(given)
    now = given.integer("now", 0, AT)
    pool, market, drawn = _pool(given, now)
    accepted(lambda: require_share(own, pool, market, seconds, now))
    added = accrued_ceil(own.subsidy_rate, seconds) - accrued_ceil(own.subsidy_rate, own.duration)
    given.assume(added > 0)
    yield "share", (drawn + added) * BPS <= (pool.subsidy_pool + drawn) * market.subsidy_daily_bps


@holds("MKT-12")
def an_extension_draws_no_more_than_its_hours(given: Given) -> Claims:
    """An extension draws nothing for time beyond the hours that are subsidised."""
    own, seconds = _extended(given)
    market = SimpleNamespace(subsidy_max_hours=parameter(given, MarketParameter.SUBSIDY_MAX_HOURS))
    accepted(lambda: require_subsidised_for(own, market, seconds))
    yield "hours", own.subsidy_rate == 0 or seconds <= subsidised_seconds(market)


@holds("MKT-13")
def an_extension_books_what_may_still_be_returned(given: Given) -> Claims:
    """On another day than its last an extension takes from the host's budget exactly what an ending at its host's last
    heartbeat would return."""
    own, seconds = _extended(given)
    now = given.integer("now", 0, AT)
    own.subsidy_day = day(now) - 1
    listing = SimpleNamespace(last_heartbeat_at=given.integer("heartbeat_at", 0, AT))
    given.assume(listing.last_heartbeat_at <= now)
    used = used_until_silence(own, listing)
    longer = SimpleNamespace(**vars(own) | {"duration": seconds, "deposit": accrued_ceil(own.rate, seconds)})
    scaled(given, longer, own.settled, used)
    held_back(given, own, used)
    grows(given, own, own.settled, used)
    returned = split(longer, used, host_at_fault=False).subsidy_returned
    require_budget(own, listing, Cover(0, returned), seconds, now)
    given.assume(returned > 0)
    yield "no less", is_refused(lambda: require_budget(own, listing, Cover(0, returned - 1), seconds, now))
