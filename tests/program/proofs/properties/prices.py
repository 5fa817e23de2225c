"""The price and subsidy of an order of any kind, and of an extension at the price of its day."""

from __future__ import annotations

from types import SimpleNamespace

from anchor_client.generated.constants import BPS, MAX_DURATION, SECONDS_PER_HOUR, USD
from anchor_client.generated.types import OracleKind, RentalKind
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.math import U64_MAX, share_floor, usd_to_base_units_ceil
from anchor_client.rules.order import Quote, quote_ceil
from anchor_client.rules.payment_mint import own_price
from anchor_client.rules.rental import require_repriced_within
from anchor_client.rules.stake_account import require_discounted_for
from anchor_client.rules.subsidy import Cover, machine_reference_usd, subsidy_floor
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import AT, accepted, parameter, subsidy_bps, usd
from tests.program.proofs.stated import Claims, holds


def _quoted(given: Given, kind: RentalKind) -> tuple[Quote, Value, Value]:
    """A minute at the reference price or another, without fees and burn, which change nothing of the subsidy; the most
    that the machine's reference price allows, and the price."""
    market = SimpleNamespace(
        on_demand_fee_bps=0,
        spot_fee_bps=0,
        reserved_fee_bps=0,
        reserved_discount_bps=0,
        subsidy_max_hours=1,
        epoch_seconds=MAX_DURATION,
    )
    mint = SimpleNamespace(price=10**12, decimals=6, extra_fee_bps=0, burn_bps=0, subsidy_bps=subsidy_bps(given))
    own, reference = given.integer("usd", 1, USD), given.integer("reference_usd", 0, USD)
    price = usd_to_base_units_ceil(own, mint.price, mint.decimals)
    given.product(mint.subsidy_bps, price)
    given.product(BPS - mint.subsidy_bps, price)
    granted = subsidy_floor(mint.subsidy_bps, reference, own, price)
    given.exceeds(granted, price, BPS)
    return quote_ceil(own, kind, 60, market, mint, cover=Cover(reference)), granted, price


@holds("MKT-11", "MKT-16")
def an_order_of_any_kind_is_subsidised_alike(given: Given) -> Claims:
    """An order draws what its price and the machine's reference price allow, whatever its kind; a bid too."""
    kind = given.choice("kind", tuple(RentalKind))
    quote, granted, _ = _quoted(given, kind)
    yield "granted", quote.rates.subsidy == granted


@holds("SYS-2")
def an_order_escrows_its_cost_rounded_up(given: Given) -> Claims:
    """An order escrows what its renter and the pool owe for its time, each rounded up."""
    quote, *_ = _quoted(given, RentalKind.ON_DEMAND)
    for name, amount, rate in (
        ("deposit", quote.deposit, quote.rates.rate),
        ("subsidy", quote.subsidy, quote.rates.subsidy),
    ):
        exactly = rate * quote.duration
        yield f"{name} no less", amount * SECONDS_PER_HOUR >= exactly
        yield f"{name} rounded", (amount - 1) * SECONDS_PER_HOUR < exactly


@holds("RNT-5")
def a_price_is_no_older_than_its_mint_allows(given: Given) -> Claims:
    """A price that is not pinned is taken for the mint's `max_age` seconds and no longer."""
    now = given.integer("now", 0, AT)
    mint = SimpleNamespace(
        enabled=1,
        price=given.integer("price", 1, U64_MAX),
        price_at=given.integer("price_at", 0, AT),
        max_age=given.integer("max_age", 0, AT),
        oracle_kind=given.choice("oracle_kind", tuple(OracleKind)),
    )
    accepted(lambda: own_price(mint, now))
    yield "fresh", mint.oracle_kind == OracleKind.PINNED or now - mint.price_at <= mint.max_age


def _extension(given: Given, rate: Value, subsidy: Value, own_usd: Value, share: Value) -> tuple[Value, Value]:
    """Today's price of a rental without fees and burn whose extension is accepted, and the tolerance asked for."""
    mint = SimpleNamespace(price=10**12, decimals=6, burn_bps=0, subsidy_bps=share)
    listing = SimpleNamespace(reference_usd=usd(given, "reference_usd"), gpu_count=1)
    tolerance = given.integer("tolerance_bps", 0, BPS)
    own = SimpleNamespace(rate=rate, subsidy_rate=subsidy, burn_rate=0, rate_usd=own_usd, renter_fee_bps=0)
    price = usd_to_base_units_ceil(own_usd, mint.price, mint.decimals)
    granted = subsidy_floor(share, machine_reference_usd(listing), own_usd, price)
    accepted(lambda: require_repriced_within(own, mint, listing, tolerance))
    return granted, tolerance


@holds("RNT-15")
def an_extension_is_bought_at_about_the_price_of_the_day(given: Given) -> Claims:
    """A rental is extended at its old rate only while the same machine would cost about that today."""
    own_usd, rate = given.integer("rate_usd", 1, USD), given.integer("rate", 1, 10 * USD)
    _, tolerance = _extension(given, rate, 0, own_usd, 0)
    price = usd_to_base_units_ceil(own_usd, 10**12, 6)
    yield "near", price <= rate + share_floor(rate, tolerance)


@holds("RNT-15")
def an_extension_draws_about_the_subsidy_of_the_day(given: Given) -> Claims:
    """A rental keeps its subsidy in an extension only while an order of today would have about as much."""
    own_usd, subsidy = given.integer("rate_usd", 1, USD), given.integer("subsidy_rate", 1, USD)
    granted, tolerance = _extension(given, 10 * USD, subsidy, own_usd, 5_000)
    yield "near", subsidy - granted <= share_floor(subsidy, tolerance)


@holds("STK-9")
def a_discount_is_of_one_cool_down(given: Given) -> Claims:
    """A rental with a discount by stake is extended to no more than one cool-down."""
    market = SimpleNamespace(epoch_seconds=parameter(given, MarketParameter.EPOCH_SECONDS))
    seconds = given.integer("seconds", 1, MAX_DURATION)
    own = SimpleNamespace(has_discount=given.choice("has_discount", (False, True)))
    accepted(lambda: require_discounted_for(own, market, seconds))
    yield "cool-down", not own.has_discount or seconds <= market.epoch_seconds
