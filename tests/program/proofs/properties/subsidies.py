"""The subsidy of an order, and its bounds."""

from __future__ import annotations

from types import SimpleNamespace

from anchor_client.generated.constants import BPS, MAX_DURATION, MAX_FEE_BPS, SECONDS_PER_HOUR
from anchor_client.generated.types import RentalKind
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.math import U64_MAX, accrued_ceil
from anchor_client.rules.order import Quote
from anchor_client.rules.rental import Fees, Rates
from anchor_client.rules.subsidy import Cover, day, pool_left, spread_floor, subsidised_seconds, subsidy_floor
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import AT, MAX_DISCOUNT_BPS, MAX_PRICE, burn_bps, parameter, price, subsidy_bps, usd
from tests.program.proofs.stated import Claims, holds


@holds("MKT-11")
def a_subsidy_is_at_most_its_share_of_the_price(given: Given) -> Claims:
    """A subsidy is at most the mint's share of the price, and all of it where the price is no more than the
    reference."""
    own_price, bps, reference, own_usd = (
        price(given),
        subsidy_bps(given),
        usd(given, "reference_usd"),
        usd(given, "usd") + 1,
    )
    given.product(own_price, own_usd - reference)
    subsidy = subsidy_floor(bps, reference, own_usd, own_price)
    covered = subsidy_floor(bps, own_usd, own_usd, own_price)
    worth = own_price * reference // own_usd
    given.product(bps, own_price - worth)
    given.exceeds(worth, own_price, own_usd)
    given.product(bps, worth)
    given.product(own_price, bps)
    yield "share", subsidy * BPS <= own_price * bps
    yield "no more than at the reference", subsidy <= covered


@holds("MKT-11")
def a_price_above_the_reference_draws_no_more(given: Given) -> Claims:
    """Above the reference price the subsidy is at most the mint's share of what the reference is worth."""
    own_price, bps, reference, own_usd = (
        price(given),
        subsidy_bps(given),
        usd(given, "reference_usd"),
        usd(given, "usd") + 1,
    )
    given.assume(reference < own_usd)
    subsidy = subsidy_floor(bps, reference, own_usd, own_price)
    worth = own_price * reference
    covered = worth // own_usd
    given.product(bps, worth - covered * own_usd)
    given.product(covered * bps - subsidy * BPS, own_usd)
    yield "worth", subsidy * BPS * own_usd <= bps * worth


def _spread(given: Given) -> tuple[Value, Value, SimpleNamespace, Value, Value]:
    rate, seconds = given.integer("rate", 0, MAX_PRICE), given.integer("seconds", 1, MAX_DURATION)
    market = SimpleNamespace(subsidy_max_hours=parameter(given, MarketParameter.SUBSIDY_MAX_HOURS))
    left = given.integer("left", 0, U64_MAX)
    given.product(rate, seconds)
    given.product(rate, seconds - min(seconds, subsidised_seconds(market)))
    return rate, seconds, market, left, spread_floor(rate, seconds, market, left)


@holds("MKT-13")
def an_order_draws_no_more_than_is_left(given: Given) -> Claims:
    """An order never draws more than is left of its host's budget for the day."""
    _, seconds, _, left, spread = _spread(given)
    given.product(spread, seconds)
    yield "left", accrued_ceil(spread, seconds) <= left


@holds("MKT-12")
def an_order_draws_no_more_than_its_hours(given: Given) -> Claims:
    """An order never draws more than the hours that are subsidised would draw, at no higher rate."""
    rate, seconds, market, _, spread = _spread(given)
    most = accrued_ceil(rate, min(seconds, subsidised_seconds(market)))
    given.product(spread, seconds)
    yield "hours", accrued_ceil(spread, seconds) <= most
    given.product(spread - rate - 1, seconds)
    yield "rate", spread <= rate


@holds("MKT-15")
def a_pool_lets_no_more_than_its_share_leave_in_a_day(given: Given) -> Claims:
    """A day's draws together are at most the market's share of the pool as the day began."""
    now = given.integer("now", 0, AT)
    vault = SimpleNamespace(
        subsidy_pool=given.integer("pool", 0, U64_MAX),
        subsidy_day=day(now) if given.choice("drawn_today", (True, False)) else -1,
        subsidy_drawn=given.integer("drawn", 0, U64_MAX),
    )
    market = SimpleNamespace(subsidy_daily_bps=parameter(given, MarketParameter.SUBSIDY_DAILY_BPS))
    before = vault.subsidy_drawn if vault.subsidy_day == day(now) else 0
    began = vault.subsidy_pool + before
    given.assume(began <= U64_MAX)
    left = Cover(0, given.integer("budget", 0, U64_MAX)).within(vault, market, now).left
    amount = given.integer("amount", 0, U64_MAX)
    given.assume(amount > 0)
    given.assume(amount <= left)
    given.product(began, market.subsidy_daily_bps)
    yield "share", (before + amount) * BPS <= began * market.subsidy_daily_bps
    yield "pool", amount <= vault.subsidy_pool
    could = pool_left(vault, market, now)
    vault = SimpleNamespace(
        subsidy_pool=vault.subsidy_pool - amount, subsidy_day=day(now), subsidy_drawn=before + amount
    )
    yield "counted", pool_left(vault, market, now) == could - amount


@holds("SPT-8")
def a_waiting_order_pays_at_the_unsubsidised_rate(given: Given) -> Claims:
    """An order that waits escrows its least charge at the rate of renter and subsidy together, rounded up."""
    rates = Rates(given.integer("rate", 0, MAX_PRICE), given.integer("subsidy", 0, MAX_PRICE), 0, 0)
    deposit, least = given.integer("deposit", 0, MAX_PRICE), given.integer("least", 0, 3_600)
    quote = Quote(RentalKind.ON_DEMAND, 3_600, 0, rates, deposit, 0)
    given.product(rates.rate, least)
    given.product(rates.subsidy, least)
    given.product(MAX_PRICE - rates.rate, least)
    given.product(MAX_PRICE - rates.subsidy, least)
    waiting = quote.waiting(least)
    yield "no less", waiting.compensation * SECONDS_PER_HOUR >= (rates.rate + rates.subsidy) * least
    yield "escrowed", waiting.deposit == deposit + waiting.compensation


@holds("MKT-16")
def a_lower_price_costs_no_more_after_its_subsidy(given: Given) -> Claims:
    """Of two prices subsidised in full, the lower one is no more after its subsidy than the higher one after its."""
    low, more, bps = price(given), given.integer("more", 0, MAX_PRICE), subsidy_bps(given)
    high = low + more
    given.product(bps, more)
    given.product(BPS - bps, more)
    yield "no more", low - subsidy_floor(bps, 1, 1, low) <= high - subsidy_floor(bps, 1, 1, high)


@holds("MKT-16")
def a_lower_fee_on_a_lower_price_is_no_more(given: Given) -> Claims:
    """The renter's fee on a lower price, at no higher share of it and with the same discount, is no more."""
    low, more = price(given), given.integer("more", 0, MAX_PRICE)
    fee, wider = given.integer("spot_fee_bps", 0, MAX_FEE_BPS), given.integer("more_fee_bps", 0, MAX_FEE_BPS)
    kept = BPS - given.integer("discount_bps", 0, MAX_DISCOUNT_BPS)
    half, whole = fee // 2 * kept, (fee + wider) // 2 * kept
    given.product((fee + wider) // 2 - fee // 2, kept)
    given.product(low, whole - half)
    given.product(more, whole)
    spot = Fees(fee, renter_discount_bps=BPS - kept).of_renter_ceil(low)
    yield "no more", spot <= Fees(fee + wider, renter_discount_bps=BPS - kept).of_renter_ceil(low + more)


@holds("MKT-16")
def what_costs_less_before_the_burn_costs_no_more(given: Given) -> Claims:
    """Of two prices after their subsidies, whatever those are, the lower one makes no higher rate."""
    low, high, burn = price(given), price(given, "high"), burn_bps(given)
    one, other = given.integer("one_subsidy", 0, MAX_PRICE), given.integer("other_subsidy", 0, MAX_PRICE)
    given.assume(one <= low)
    given.assume(other <= high)
    given.assume(low - one <= high - other)
    cheap = Rates.at(low, Fees(0), subsidy=one, burn_bps=burn)
    dear = Rates.at(high, Fees(0), subsidy=other, burn_bps=burn)
    given.exceeds(cheap.rate, dear.rate, BPS - burn)
    yield "no more", cheap.rate <= dear.rate


@holds("MKT-16")
def a_spread_subsidy_keeps_the_order_of_prices(given: Given) -> Claims:
    """Of two orders of one time the one that costs no more with its whole subsidy costs no more with what is left."""
    rate, seconds, market, left, spread = _spread(given)
    more = given.integer("more", 0, MAX_PRICE)
    higher = spread_floor(rate + more, seconds, market, left)
    given.product(more, seconds)
    given.product(more, seconds - min(seconds, subsidised_seconds(market)))
    given.product(higher, seconds)
    given.product(spread, seconds)
    given.product(higher - spread, seconds)
    given.product(higher - spread - more - 1, seconds)
    given.product(spread - higher - 1, seconds)
    yield "no fewer", spread <= higher
    yield "no more", higher - spread <= more
