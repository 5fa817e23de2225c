"""Sums and levels by hour and day, which time series are read from.

Events only add to sums by moment or hour; `keep_series` makes hours and days of them, once for a batch of events.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache, wraps
from typing import Final, Protocol, TypeAlias, TypeVar

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types import Silence
from anchor_client.rules.math import base_units_to_usd_floor
from indexer.index.handlers.step import Step
from indexer.models import (
    EarningPoint,
    Listing,
    MarketLevel,
    MarketPoint,
    MoneyPoint,
    PaymentMint,
    RatePoint,
    Rental,
)
from indexer.models.series import DAY, HOUR
from indexer.store.rows import Rows

STEPS: Final = (HOUR, DAY)
LEVELS: Final = ("gpus", "rented_gpus", "running")
PROVEN: Final = Silence.PROVEN.name.lower()

Machine: TypeAlias = tuple[int, int, int, int]
"""A machine's model and region, and its GPUs that are on offer or rented, and rented."""
NOTHING: Final[Machine] = (0, 0, 0, 0)


class OfListing(Protocol):
    """An event of a listing."""

    @property
    def listing(self) -> Pubkey: ...

    @property
    def at(self) -> int: ...


Emitted = TypeVar("Emitted", bound=OfListing)


def recounts(handler: Callable[[Emitted, Step], None]) -> Callable[[Emitted, Step], None]:
    """Makes a handler count the event's machine again: it may be on offer or rented, or no longer."""

    @wraps(handler)
    def recounting(event: Emitted, step: Step) -> None:
        listing = str(event.listing)
        before = machine_of(step, listing)
        handler(event, step)
        recount(step, listing, before, event.at)

    return recounting


def machine_of(step: Step, address: str) -> Machine:
    """Place and GPUs that a listing counts with. While it is not rented it is on offer if it is visible, from its
    first heartbeat on, unless its silence is proven."""
    listing = step.rows.find(Listing, address)
    if listing is None or listing.closed_at:
        return NOTHING
    gpus = listing.gpu_count
    if listing.current is not None:
        return listing.gpu_model, listing.region, gpus, gpus
    if listing.visible and listing.last_heartbeat_at and listing.silence != PROVEN:
        return listing.gpu_model, listing.region, gpus, 0
    return NOTHING


def recount(step: Step, address: str, before: Machine, at: int) -> None:
    """Counts a machine as what it is from `at` on, no longer as what it was `before`."""
    after = machine_of(step, address)
    if after == before:
        return
    for (model, region, gpus, rented), sign in ((before, -1), (after, 1)):
        if gpus:
            step.rows.add_up(MarketLevel, (model, region, at), gpus=sign * gpus, rented_gpus=sign * rented)


def count_opened(step: Step, rental: Rental) -> None:
    """Counts an order and its rate; none of a machine that is not known."""
    if rental.gpu_count:
        at = rental.created_at
        model = rental.gpu_model
        region = rental.region
        step.rows.add_up(MarketLevel, (model, region, at), opened=1)
        rate_usd = rental.rate_usd // rental.gpu_count
        step.rows.add_up(RatePoint, (HOUR, at - at % HOUR, rental.kind, model, region, rate_usd), rentals=1)


def count_started(step: Step, rental: Rental, at: int) -> None:
    """Counts a rental as running."""
    if rental.gpu_count:
        step.rows.add_up(MarketLevel, (rental.gpu_model, rental.region, at), started=1, running=1)


def count_ended(step: Step, rental: Rental, at: int) -> None:
    """Counts a rental as ended."""
    if rental.gpu_count:
        running = 0 if rental.started_at is None else -1
        step.rows.add_up(MarketLevel, (rental.gpu_model, rental.region, at), ended=1, running=running)


def count_money(step: Step, at: int, mint: str, *, burned: int = 0, fees: int = 0) -> None:
    """Counts base units of a mint."""
    if burned or fees:
        step.rows.add_up(MoneyPoint, (HOUR, at - at % HOUR, mint), burned=burned, fees=fees)


def count_earned(step: Step, rental: Rental, at: int, amount: int) -> None:
    """Counts base units that a rental's host was paid, and what they were worth then."""
    mint = step.rows.find(PaymentMint, _payment_mint(rental.mint, step.program))
    usd = 0
    if mint is not None:
        usd = base_units_to_usd_floor(amount, mint.price, mint.decimals)
    place = rental.host, HOUR, at - at % HOUR, rental.mint
    step.rows.add_up(EarningPoint, place, amount=amount, usd=usd, payouts=1)


def keep_series(rows: Rows) -> None:
    """Makes hours and days of what a batch of events has counted."""
    counted = rows.take_sums(MarketLevel)
    levels = _levels(rows, {(model, region) for model, region, _ in counted})
    for (model, region, at), changes in counted.items():
        _change_level(rows, levels[model, region], at, changes)
    for kind in (RatePoint, MoneyPoint):
        for (seconds, start, *what), amounts in rows.take_sums(kind).items():
            rows.add_up(kind, (seconds, start, *what), **amounts)
            rows.add_up(kind, (DAY, start - start % DAY, *what), **amounts)
    for (host, seconds, start, mint), amounts in rows.take_sums(EarningPoint).items():
        rows.add_up(EarningPoint, (host, seconds, start, mint), **amounts)
        rows.add_up(EarningPoint, (host, DAY, start - start % DAY, mint), **amounts)


def _levels(rows: Rows, places: Collection[tuple[int, int]]) -> dict[tuple[int, int], MarketLevel]:
    """Levels of models in regions, to change; the hours and days that they were last counted in are loaded."""
    rows.load(MarketLevel, places)
    levels: dict[tuple[int, int], MarketLevel] = {}
    for place in places:
        known = rows.change(MarketLevel, *place)
        levels[place] = known or MarketLevel(gpu_model=place[0], region=place[1])
        if known is None:
            rows.add(levels[place])
    last = {place: level.counted_at for place, level in levels.items() if level.counted_at >= 0}
    rows.load(MarketPoint, [(step, *place, at - at % step) for place, at in last.items() for step in STEPS])
    return levels


def _change_level(rows: Rows, level: MarketLevel, at: int, changes: Mapping[str, int]) -> None:
    """Changes levels from `at` on; what is dated before what was counted last counts as of then."""
    at = max(at, level.counted_at)
    for seconds in STEPS:
        start = at - at % seconds
        point = None
        if start <= level.counted_at:
            point = rows.change(MarketPoint, seconds, level.gpu_model, level.region, start)
        if point is None:
            point = _begun(seconds, start, level)
            rows.add(point)
        values = vars(point)
        for name, change in changes.items():
            values[name] += change
        left = start + seconds - at
        point.gpu_seconds += changes.get("gpus", 0) * left
        point.rented_gpu_seconds += changes.get("rented_gpus", 0) * left
    for name in LEVELS:
        vars(level)[name] += changes.get(name, 0)
    level.counted_at = at


def _begun(seconds: int, start: int, level: MarketLevel) -> MarketPoint:
    """An hour or day as it is if nothing changes in it."""
    return MarketPoint(
        step=seconds,
        gpu_model=level.gpu_model,
        region=level.region,
        start=start,
        gpus=level.gpus,
        rented_gpus=level.rented_gpus,
        running=level.running,
        gpu_seconds=level.gpus * seconds,
        rented_gpu_seconds=level.rented_gpus * seconds,
    )


@cache
def _payment_mint(mint: str, program: Pubkey) -> str:
    return str(find_payment_mint(Pubkey.from_string(mint), program)[0])
