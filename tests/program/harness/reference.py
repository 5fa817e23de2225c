"""The market's arithmetic a second time, from its documentation: exact integers without limits."""

from __future__ import annotations

from dataclasses import dataclass

from anchor_client.generated.types.close_reason import CloseReason

BPS = 10_000
SECONDS_PER_HOUR = 3_600
PRIOR_USD = 1_000_000_000
"""Value that a market opens with, micro-USD."""


def ceil_div(numerator: int, denominator: int) -> int:
    return -(-numerator // denominator)


@dataclass(frozen=True, slots=True)
class Rates:
    """Base units per hour: `rate + subsidy = host + fee + burn`."""

    rate: int
    subsidy: int
    burn: int
    fee: int

    @property
    def host(self) -> int:
        return self.rate + self.subsidy - self.burn - self.fee

    def deposit(self, seconds: int) -> int:
        """Base units that the renter escrows for `seconds`."""
        return ceil_div(self.rate * seconds, SECONDS_PER_HOUR)

    def compensation(self, seconds: int) -> int:
        """Base units that an order also escrows to wait for a machine: its least charge without a subsidy."""
        return ceil_div((self.rate + self.subsidy) * seconds, SECONDS_PER_HOUR)

    def subsidy_of(self, seconds: int) -> int:
        """Base units that the pool escrows for `seconds`."""
        return ceil_div(self.subsidy * seconds, SECONDS_PER_HOUR)


@dataclass(frozen=True, slots=True)
class Amounts:
    """Division of deposit and subsidy when a rental ends."""

    paid: int
    fees: int
    burned: int
    refunded: int
    subsidy_returned: int
    compensation: int = 0

    def total(self) -> int:
        return self.paid + self.fees + self.burned + self.refunded + self.subsidy_returned + self.compensation


def rates(
    usd: int,
    price: int,
    decimals: int,
    *,
    fee_bps: int,
    extra_fee_bps: int = 0,
    subsidy_bps: int = 0,
    burn_bps: int = 0,
) -> Rates:
    """Rates of a machine at `usd` micro-USD an hour, paid in a token of `price` pico-USD."""
    market = ceil_div(usd * 10**6 * 10**decimals, price)
    renter_fee = ceil_div(market * (fee_bps // 2), BPS)
    host_fee = ceil_div(market * (fee_bps - fee_bps // 2 + extra_fee_bps), BPS)
    subsidy = market * subsidy_bps // BPS
    unburned = market + renter_fee - subsidy
    rate = ceil_div(unburned * BPS, BPS - burn_bps)
    return Rates(rate, subsidy, rate - unburned, renter_fee + host_fee)


def payable(rates: Rates, seconds: int, holdback_bps: int, window: int = 86_400) -> int:
    """Total that the host may have after `seconds` while the rental runs: all but the holdback on the last `window`."""
    earned = rates.host * seconds // SECONDS_PER_HOUR
    safe = rates.host * max(seconds - window, 0) // SECONDS_PER_HOUR
    return safe + (earned - safe) * (BPS - holdback_bps) // BPS


def charged_seconds(
    reason: CloseReason,
    used: int,
    *,
    runs: bool,
    least: int,
    prepared: int | None,
    duration: int,
    discount_bps: int,
    is_kept: bool = False,
) -> int:
    """Seconds that a renter pays for when their rental ends for `reason` after `used` seconds of its paid time.

    `least` is the least charge. `prepared` is how long the host has been preparing when the rental has not started and
    the host may still keep its promise; None otherwise. `is_kept` is True of an order that has taken a machine for
    which it waited, while the host may start it.
    """
    if reason is CloseReason.WITHDRAWN:
        return least if is_kept else min(prepared or 0, least)
    if reason is CloseReason.STOPPED:
        return min(duration, ceil_div(max(used, least) * BPS, BPS - discount_bps))
    if reason is CloseReason.PREEMPTED and (runs or is_kept):
        return max(used, least)
    return used


def paid_usd(rates: Rates, usd: int, seconds: int) -> int:
    """Micro-USD of `seconds` at `usd` an hour that the renter pays for themselves, without the subsidy's part."""
    return usd * seconds // SECONDS_PER_HOUR * rates.rate // (rates.rate + rates.subsidy)


def reputation(
    tracked_seconds: int = 0,
    up_seconds: int = 0,
    rating_sum: int = 0,
    rating_weight: int = 0,
    completed: int = 0,
    failed: int = 0,
    paid_usd: int = 0,
    not_as_listed_usd: int = 0,
    *,
    prior_usd: int = PRIOR_USD,
) -> int:
    """60 % uptime, 25 % mean rating above one and 15 % rentals that ended well, in basis points.

    Each weighs what renters paid themselves (the raters, for ratings) against half of it, which weighs the prior. What
    renters who reported machines as not as listed had paid weighs against the rentals that ended well.
    """
    uptime = up_seconds * BPS // tracked_seconds if tracked_seconds else BPS // 2
    rating = (rating_sum - rating_weight) * BPS // (4 * rating_weight) if rating_weight else BPS // 2
    completion = completed * BPS // (completed + failed) if completed + failed else BPS // 2
    parts = (
        (60, uptime, paid_usd, 0),
        (25, rating, rating_weight, 0),
        (15, completion, paid_usd, not_as_listed_usd),
    )
    return (
        sum(
            part * ((share * paid + BPS // 2 * prior_usd) // (paid + against + prior_usd))
            for part, share, paid, against in parts
        )
        // 100
    )


def divide(
    rates: Rates,
    duration: int,
    charged: int,
    *,
    holdback_bps: int,
    host_at_fault: bool,
    window: int = 86_400,
    spare: int = 0,
    compensation: int = 0,
) -> Amounts:
    """The split of a rental that ends with `charged` of `duration` seconds paid for; `paid` is over its whole life.

    `spare` is what its deposit has beyond its cost; `compensation` goes to whoever holds the machine it waited for.
    """
    spent, subsidy = rates.deposit(charged), rates.subsidy_of(charged)
    burned = rates.burn * charged // SECONDS_PER_HOUR
    earned = rates.host * charged // SECONDS_PER_HOUR
    paid = payable(rates, charged, holdback_bps, window) if host_at_fault else earned
    return Amounts(
        paid=paid,
        fees=spent + subsidy - burned - earned,
        burned=burned,
        refunded=rates.deposit(duration) + spare - spent + earned - paid - compensation,
        subsidy_returned=rates.subsidy_of(duration) - subsidy,
        compensation=compensation,
    )
