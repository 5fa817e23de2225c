"""Rounding and conversion."""

from __future__ import annotations

from anchor_client.generated.constants import BPS, PICO_PER_MICRO, SECONDS_PER_HOUR
from anchor_client.rules.math import (
    U64_MAX,
    accrued_ceil,
    accrued_floor,
    base_units_to_usd_floor,
    mul_div_ceil,
    mul_div_floor,
    share_ceil,
    share_floor,
    usd_to_base_units_ceil,
)
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import U32_MAX, share
from tests.program.proofs.stated import Claims, holds


def _operands(given: Given) -> tuple[Value, Value, Value]:
    value, numerator = given.integer("value", 0, U64_MAX), given.integer("numerator", 0, U64_MAX)
    denominator = given.integer("denominator", 1, U64_MAX)
    given.assume(value * numerator <= U64_MAX * denominator)
    return value, numerator, denominator


@holds("SYS-2")
def floor_is_the_quotient_rounded_down(given: Given) -> Claims:
    """A product divided and rounded down is at most the exact quotient, and less than one below it."""
    value, numerator, denominator = _operands(given)
    floor = mul_div_floor(value, numerator, denominator)
    yield "no more", floor * denominator <= value * numerator
    yield "not one less", value * numerator < floor * denominator + denominator


@holds("SYS-2")
def ceil_is_the_quotient_rounded_up(given: Given) -> Claims:
    """A product divided and rounded up is at least the exact quotient, and less than one above it."""
    value, numerator, denominator = _operands(given)
    ceil = mul_div_ceil(value, numerator, denominator)
    yield "no less", ceil * denominator >= value * numerator
    yield "not one more", ceil * denominator < value * numerator + denominator


@holds("SYS-2")
def a_share_is_part_of_the_whole(given: Given) -> Claims:
    """A share is no more than the whole, however rounded, and a share rounded down and the rest rounded up are it."""
    value, bps = given.integer("value", 0, U64_MAX), share(given, "bps")
    given.product(value, BPS - bps)
    yield "rounded up", share_ceil(value, bps) <= value
    yield "rounded down", share_floor(value, bps) <= share_ceil(value, bps)
    yield "and the rest", share_floor(value, bps) + share_ceil(value, BPS - bps) == value


def _parts(given: Given) -> tuple[Value, Value, Value]:
    rate = given.integer("rate", 0, U64_MAX)
    one, other = given.integer("one", 0, U32_MAX), given.integer("other", 0, U32_MAX)
    given.assume(rate * (one + other) <= U64_MAX * SECONDS_PER_HOUR)
    given.product(rate, one)
    given.product(rate, other)
    return rate, one, other


@holds("SYS-2", "RNT-1")
def accrual_in_parts_never_favours_who_divides(given: Given) -> Claims:
    """An accrual in two parts is no more than in one when rounded down, no less when rounded up, and differs by at most
    one base unit."""
    rate, one, other = _parts(given)
    floors = accrued_floor(rate, one) + accrued_floor(rate, other)
    ceils = accrued_ceil(rate, one) + accrued_ceil(rate, other)
    yield "down", floors <= accrued_floor(rate, one + other)
    yield "down by one", accrued_floor(rate, one + other) <= floors + 1
    yield "up", ceils >= accrued_ceil(rate, one + other)
    yield "up by one", accrued_ceil(rate, one + other) + 1 >= ceils


@holds("SYS-2")
def accrual_grows_with_time(given: Given) -> Claims:
    """More seconds accrue no less, and none nothing."""
    rate, one, other = _parts(given)
    yield "down", accrued_floor(rate, one) <= accrued_floor(rate, one + other)
    yield "up", accrued_ceil(rate, one) <= accrued_ceil(rate, one + other)
    yield "none", accrued_ceil(rate, 0) == 0


def _converted(given: Given) -> tuple[Value, Value, int, Value]:
    """Dollars, a price, decimals, and the base units that they come to."""
    dollars, price = given.integer("usd", 0, 2**50), given.integer("price", 1, 2**60)
    decimals = given.choice("decimals", range(10))
    given.assume(dollars * (PICO_PER_MICRO * 10**decimals) <= U64_MAX * price)
    return dollars, price, decimals, usd_to_base_units_ceil(dollars, price, decimals)


@holds("SYS-2")
def base_units_cover_the_dollars(given: Given) -> Claims:
    """The base units asked for an amount of dollars are worth it at the price, and one fewer would not be."""
    dollars, price, decimals, units = _converted(given)
    owed = dollars * (PICO_PER_MICRO * 10**decimals)
    yield "covered", units * price >= owed
    yield "not one fewer", units * price < owed + price


@holds("SYS-2")
def dollars_converted_there_and_back_lose_nothing(given: Given) -> Claims:
    """Dollars converted to base units and back are no fewer than they were."""
    dollars, price, decimals, units = _converted(given)
    given.assume(units * price <= U64_MAX)
    yield "no fewer", base_units_to_usd_floor(units, price, decimals) >= dollars
