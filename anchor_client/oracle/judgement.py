"""One price of several quotes, in integers: a median of those that are fresh and close to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from anchor_client.generated.constants import BPS
from anchor_client.oracle.errors import PriceRefused, Reason

FUTURE_SECONDS: Final = 60
"""Seconds by which a source's clock may be ahead."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A source's price, pico-USD per whole token, and its time in unix seconds."""

    source: str
    pico_usd: int
    at: int


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of belief: at least `least` sources, each at most `max_age` seconds old and `max_deviation_bps` from the
    median, which is at most `max_change_bps` from the last price.
    """

    least: int
    max_age: int
    max_deviation_bps: int
    max_change_bps: int


def judge(quotes: Sequence[Quote], bounds: Bounds, *, now: int, before: int) -> tuple[int, list[Quote]]:
    """The median of the quotes that can be believed, and these; `before` is the last price, or 0. PriceRefused."""
    fresh = [quote for quote in quotes if quote.pico_usd > 0 and -FUTURE_SECONDS <= now - quote.at <= bounds.max_age]
    _require_enough(fresh, bounds, "are fresh")
    middle = median_floor([quote.pico_usd for quote in fresh])
    close = [quote for quote in fresh if _is_within(quote.pico_usd, middle, bounds.max_deviation_bps)]
    _require_enough(close, bounds, "agree")
    price = median_floor([quote.pico_usd for quote in close])
    if before and not _is_within(price, before, bounds.max_change_bps):
        raise PriceRefused(
            Reason.CHANGE,
            f"The sources say {price} pico-USD, and the price is {before}",
            "If that is right, raise --max-change for a while; else pause prices and look at the sources.",
        )
    return price, close


def median_floor(prices: Sequence[int]) -> int:
    """The middle price; of an even number the mean of the middle two, rounded down."""
    ordered, half = sorted(prices), len(prices) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) // 2


def step_towards(before: int, price: int, step_bps: int) -> int:
    """Next price that the program accepts in the direction of `price`: at most a step from the last, rounded down."""
    if before == 0:
        return price
    step = max(before * step_bps // BPS, 1)
    return min(max(price, before - step), before + step)


def _is_within(price: int, of: int, bps: int) -> bool:
    return abs(price - of) * BPS <= of * bps


def _require_enough(quotes: Sequence[Quote], bounds: Bounds, what: str) -> None:
    if len(quotes) < bounds.least:
        named = ", ".join(quote.source for quote in quotes) or "none"
        raise PriceRefused(Reason.SOURCES, f"Too few sources {what}: {named}; {bounds.least} are needed")
