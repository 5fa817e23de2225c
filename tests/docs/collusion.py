"""Gain of a host that rents its own machine through a second wallet, by the rates of an order."""

from __future__ import annotations

from anchor_client.generated.constants import BPS
from anchor_client.rules.rental import Fees, Rates

PRICE = 10**12
"""Base units an hour: enough to make rounding negligible."""


def gain_bps(subsidy_bps: int, *, fee_bps: int, burn_bps: int, discount_bps: int = 0) -> int:
    """Gain of both sides together, in basis points of a subsidised list price: the subsidy without fees and burn."""
    fees = Fees(fee_bps, renter_discount_bps=discount_bps, host_discount_bps=discount_bps)
    rates = Rates.at(PRICE, fees, subsidy=PRICE * subsidy_bps // BPS, burn_bps=burn_bps)
    return round((rates.host - rates.rate) * BPS / PRICE)


def break_even_bps(*, fee_bps: int, burn_bps: int, discount_bps: int = 0) -> int:
    """The largest share of the price that the pool can add while a pair gains nothing: what the renter pays of the
    rest, with its fee and burn, is what the host gets."""
    whole = 2 * BPS * BPS
    half = fee_bps * (BPS - discount_bps)
    return ((whole + half) * BPS - (BPS - burn_bps) * (whole - half)) // whole
