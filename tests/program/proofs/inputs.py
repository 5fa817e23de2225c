"""Inputs of the properties: any rental, order and market within the bounds that the program enforces."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, Final

from anchor_client.errors.program import ProgramRefusal
from anchor_client.generated.constants import BPS, MAX_BURN_BPS, MAX_DURATION, MAX_FEE_BPS, MAX_SUBSIDY_BPS, USD
from anchor_client.generated.types import RentalState
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.rules.math import U64_MAX, accrued_ceil
from anchor_client.rules.parameters import BY_NAME
from anchor_client.rules.rental import Fees, earned_floor
from tests.program.proofs.given import Given, Irrelevant, Value

MAX_PRICE: Final = 2**48
"""Base units per hour: 280 million whole tokens of six decimals."""
MAX_DISCOUNT_BPS: Final = 5_000
U16_MAX: Final = 2**16 - 1
U32_MAX: Final = 2**32 - 1
AT: Final = 2**40
"""A time far beyond the chain's, unix seconds."""


def parameter(given: Given, which: MarketParameter) -> Value:
    """A market's parameter within its bounds, those of a market for tests included."""
    each = BY_NAME[which.name.lower()]
    low, high = each.testing_bounds
    return given.integer(each.name, min(low, each.bounds[0]), max(high, each.bounds[1]))


def fees(given: Given) -> Fees:
    """Fees of an order with discounts on both sides."""
    return Fees(
        given.integer("fee_bps", 0, MAX_FEE_BPS),
        given.integer("extra_fee_bps", 0, MAX_FEE_BPS),
        given.integer("renter_discount_bps", 0, MAX_DISCOUNT_BPS),
        given.integer("host_discount_bps", 0, MAX_DISCOUNT_BPS),
    )


def price(given: Given, name: str = "price") -> Value:
    """Base units per hour before fees."""
    return given.integer(name, 1, MAX_PRICE)


def burn_bps(given: Given) -> Value:
    """A mint's burn."""
    return given.integer("burn_bps", 0, MAX_BURN_BPS)


def subsidy_bps(given: Given) -> Value:
    """A mint's share of subsidy."""
    return given.integer("subsidy_bps", 0, MAX_SUBSIDY_BPS)


def rental(given: Given, **fixed: Any) -> SimpleNamespace:
    """A rental that the program may have opened: its rates give the host no less than nothing, and its vault could
    count what came in for it. What its deposit has beyond its cost is its compensation and what a request spared."""
    rates = {name: given.integer(name, 0, U64_MAX) for name in ("rate", "subsidy_rate", "burn_rate", "fee_rate")}
    duration = given.integer("duration", 1, MAX_DURATION)
    settled = given.integer("settled", 0, MAX_DURATION)
    spare = given.integer("spare", 0, U64_MAX)
    own = SimpleNamespace(
        **rates,
        duration=duration,
        settled=settled,
        deposit=0,
        started_at=given.integer("started_at", 0, AT),
        created_at=given.integer("created_at", 0, AT),
        accepted_after=given.integer("accepted_after", 0, U16_MAX),
        promise=given.integer("promise", 0, 3_600),
        min_charge=given.integer("min_charge", 0, 3_600),
        discount_bps=given.integer("discount_bps", 0, MAX_DISCOUNT_BPS),
        holdback_bps=given.integer("holdback_bps", 0, 5_000),
        holdback_window=given.integer("holdback_window", 0, U32_MAX),
        not_as_listed=given.choice("not_as_listed", (False, True)) if "not_as_listed" not in fixed else None,
        provision_timeout=given.integer("provision_timeout", 0, U16_MAX),
        took_over=given.choice("took_over", (False, True)) if "took_over" not in fixed else None,
        state=RentalState.RUNNING,
    )
    vars(own).update(fixed)
    given.assume(own.settled <= duration)
    given.assume(own.min_charge <= duration)
    paid_in = own.rate + own.subsidy_rate
    given.assume(own.burn_rate + own.fee_rate <= paid_in)
    given.assume(paid_in <= U64_MAX)
    given.assume(own.rate * duration <= U64_MAX * 3_600)
    given.assume(own.subsidy_rate * duration <= U64_MAX * 3_600)
    own.deposit = accrued_ceil(own.rate, duration) + spare
    given.assume(own.deposit + accrued_ceil(own.subsidy_rate, duration) <= U64_MAX)
    return own


def scaled(given: Given, own: SimpleNamespace, *seconds: Value) -> None:
    """Tells the solver that no rate of a rental makes more of fewer seconds; each is no less than the one before."""
    ordered = (0, *seconds, own.duration)
    for low, high in pairwise(ordered):
        for each in (own.rate, own.subsidy_rate, own.burn_rate, own.fee_rate, host_rate(own)):
            given.product(high - low, each)


def held_back(given: Given, own: SimpleNamespace, seconds: Value) -> None:
    """Tells the solver what is true of the holdback on the last window of some seconds."""
    before = max(seconds - own.holdback_window, 0)
    given.product(host_rate(own), before)
    given.product(host_rate(own), seconds - before)
    kept = earned_floor(own, seconds) - earned_floor(own, before)
    given.product(kept, own.holdback_bps)
    given.product(kept, BPS - own.holdback_bps)


def grows(given: Given, own: SimpleNamespace, fewer: Value, more: Value) -> None:
    """Tells the solver that neither earnings nor those before the last window fall with the seconds."""
    early, late = max(fewer - own.holdback_window, 0), max(more - own.holdback_window, 0)
    given.product(host_rate(own), late - early)
    given.product(earned_floor(own, late) - earned_floor(own, early), own.holdback_bps)
    given.product(earned_floor(own, more) - earned_floor(own, fewer), BPS - own.holdback_bps)


def host_rate(own: SimpleNamespace) -> Value:
    return own.rate + own.subsidy_rate - own.burn_rate - own.fee_rate


def usd(given: Given, name: str) -> Value:
    """Micro-USD, up to a million dollars."""
    return given.integer(name, 0, 1_000_000 * USD)


def share(given: Given, name: str) -> Value:
    """Basis points of a whole."""
    return given.integer(name, 0, BPS)


def accepted(rule: Callable[[], object]) -> None:
    """Leaves out inputs that a rule refuses."""
    if is_refused(rule):
        raise Irrelevant


def is_refused(rule: Callable[[], object]) -> bool:
    """True where a rule refuses the inputs."""
    try:
        rule()
    except ProgramRefusal:
        return True
    return False
