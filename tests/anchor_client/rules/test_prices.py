"""Prices and splits against the compiled program, exact to the base unit, and its own rounding."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from anchor_client.generated.accounts import Market, PaymentMint
from anchor_client.generated.errors import MathOverflow
from anchor_client.generated.types import RentalKind
from anchor_client.rules.math import (
    U64_MAX,
    accrued_ceil,
    base_units_to_usd_floor,
    mul_div_ceil,
    mul_div_floor,
    usd_to_base_units_ceil,
)
from anchor_client.rules.order import quote_ceil
from anchor_client.rules.rental import RESERVED_TERMS, charged, payable_floor, split
from anchor_client.rules.subsidy import Cover
from tests.anchor_client.price_oracle import PriceOracle, Terms, blank

BPS = st.integers(0, 3_000)


@st.composite
def any_terms(draw: st.DrawFn) -> Terms:
    kind = draw(st.sampled_from(RentalKind))
    on_demand_usd = draw(st.integers(1_000, 50_000_000))
    duration = draw(st.sampled_from(RESERVED_TERMS) if kind is RentalKind.RESERVED else st.integers(60, 10_800_000))
    is_market_token = draw(st.booleans())
    return Terms(
        on_demand_usd=on_demand_usd,
        price=draw(st.integers(10**6, 10**15)),
        decimals=draw(st.integers(0, 9)),
        kind=kind,
        duration=duration,
        on_demand_fee_bps=draw(BPS),
        reserved_fee_bps=draw(BPS),
        spot_fee_bps=draw(BPS),
        bid_usd=draw(st.integers(1, on_demand_usd)) if kind is RentalKind.SPOT else 0,
        reserved_discount_bps=draw(st.integers(0, 5_000)),
        extra_fee_bps=0 if is_market_token else draw(BPS),
        subsidy_bps=draw(st.integers(0, 8_500)) if is_market_token else 0,
        burn_bps=draw(st.integers(0, 5_000)) if is_market_token else 0,
        holdback_bps=draw(st.integers(0, 5_000)),
        holdback_window=draw(st.sampled_from([0, 60, 86_400, 10_800_000])),
        subsidy_max_hours=draw(st.integers(1, 3_000)),
        subsidy_budget=draw(st.one_of(st.sampled_from([0, 2**63]), st.integers(1, 10**15))),
        reference_usd=draw(st.one_of(st.sampled_from([0, 2**32 - 1]), st.integers(1_000, 50_000_000))),
    )


@pytest.fixture(scope="module")
def oracle() -> PriceOracle:
    return PriceOracle()


@settings(max_examples=120, deadline=None)
@given(terms=any_terms(), ending=st.sampled_from(["stop", "fault"]), share=st.floats(0, 1), settle=st.floats(0, 1))
@example(
    terms=Terms(
        2_760_000, 50_000_000_000, 6, RentalKind.ON_DEMAND, 3_600, 1_000, 1_000, 1_000, 0, 8_500, 2_000, 1_000, 600
    ),
    ending="stop",
    share=0.5,
    settle=0.25,
)
@example(
    terms=Terms(8_540_160, 1_000_000, 9, RentalKind.RESERVED, 7_776_000, 0, 0, 0, 0, 0, 0, 0, 0),
    ending="stop",
    share=0,
    settle=0,
)
def test_prices__any_terms_and_seconds__equal_the_program(
    oracle: PriceOracle, terms: Terms, ending: str, share: float, settle: float
) -> None:
    market = blank(
        Market,
        on_demand_fee_bps=terms.on_demand_fee_bps,
        reserved_fee_bps=terms.reserved_fee_bps,
        spot_fee_bps=terms.spot_fee_bps,
        reserved_discount_bps=terms.reserved_discount_bps,
        subsidy_max_hours=terms.subsidy_max_hours,
    )
    mint = blank(
        PaymentMint,
        price=terms.price,
        decimals=terms.decimals,
        extra_fee_bps=terms.extra_fee_bps,
        subsidy_bps=terms.subsidy_bps,
        burn_bps=terms.burn_bps,
    )
    cover = Cover(terms.reference_usd, terms.subsidy_budget)
    try:
        quote = quote_ceil(terms.bid_usd or terms.on_demand_usd, terms.kind, terms.duration, market, mint, cover=cover)
    except MathOverflow:
        with pytest.raises(AssertionError, match=rf"Custom\({MathOverflow.code}\)"):
            oracle.run(terms, ending, 0)
        return
    assume(quote.deposit < 2**61 and quote.subsidy < 2**61)
    seconds = int(share * (terms.duration - 1))
    settle_at = int(settle * seconds) or None

    outcome = oracle.run(terms, ending, seconds, settle_at)

    opened = outcome.opened
    assert (quote.deposit, quote.subsidy, quote.usd_per_hour) == (opened.deposit, opened.subsidy, opened.rate_usd)
    assert (quote.rates.rate, quote.rates.subsidy, quote.rates.burn, quote.rates.fee) == (
        opened.rate,
        opened.subsidy_rate,
        opened.burn_rate,
        opened.fee_rate,
    )
    closed = outcome.closed
    assert (closed.used, closed.charged) == (seconds, charged(outcome.rental, closed.reason, seconds, closed.at))
    divided = split(outcome.rental, closed.charged, host_at_fault=ending == "fault")
    assert (divided.paid, divided.fees, divided.burned, divided.refunded, divided.subsidy_returned) == (
        closed.paid_now,
        closed.fees,
        closed.burned,
        closed.refunded,
        closed.subsidy_returned,
    )
    rental = outcome.rental
    escrowed = rental.deposit + accrued_ceil(rental.subsidy_rate, rental.duration)
    assert escrowed - payable_floor(rental, rental.settled) == sum(
        (divided.paid, divided.fees, divided.burned, divided.refunded, divided.subsidy_returned)
    )


@given(value=st.integers(0, U64_MAX), numerator=st.integers(0, U64_MAX), denominator=st.integers(1, U64_MAX))
def test_mul_div__any_operands__floor_and_ceil_enclose_the_quotient(
    value: int, numerator: int, denominator: int
) -> None:
    exact = value * numerator
    assume(exact <= (U64_MAX - 1) * denominator)
    floor, ceil = (
        mul_div_floor(value, numerator, denominator),
        mul_div_ceil(value, numerator, denominator),
    )
    assert floor * denominator <= exact <= ceil * denominator
    assert ceil - floor == (exact % denominator != 0)


def test_mul_div__zero_denominator_or_too_large__is_the_programs_overflow() -> None:
    for operands in ((1, 1, 0), (U64_MAX, 2, 1)):
        with pytest.raises(MathOverflow):
            mul_div_floor(*operands)
        with pytest.raises(MathOverflow):
            mul_div_ceil(*operands)


@given(usd=st.integers(0, 2**40), price=st.integers(1, 10**15), decimals=st.integers(0, 9))
def test_usd_to_base_units__back_again__never_loses_value(usd: int, price: int, decimals: int) -> None:
    assume(usd * 10**6 * 10**decimals <= U64_MAX * price)
    units = usd_to_base_units_ceil(usd, price, decimals)
    assume(units * price <= U64_MAX * 10**6)
    assert base_units_to_usd_floor(units, price, decimals) >= usd
