"""A market at random, and its time series counted again from every event, second by second where it matters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import TypeAlias

from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import CloseReason
from indexer.index.decode import decode
from indexer.index.handlers import HANDLERS
from indexer.index.handlers.step import Step
from indexer.index.transaction import Transaction
from indexer.models import Listing, Rental
from indexer.store.events import Decoded
from indexer.store.rows import Rows
from tests.markets.recorded import Market
from tests.program.harness.changes import respecify
from tests.program.harness.flows import opened, running
from tests.program.harness.terms import HOUR

Place: TypeAlias = tuple[int, int]
"""A model and a region."""
Levels: TypeAlias = Mapping[Place, tuple[int, int, int]]
"""GPUs on offer, rented ones, and running rentals."""
NONE = (0, 0, 0)


def wander(market: Market, seed: int, acts: int) -> None:
    """Machines of several models and regions come, hide, fall silent, are rented and left at random moments."""
    chance, held = Random(seed), dict[Pubkey, Pubkey]()
    machines = [
        market.list_machine(gpu_model=model, region=region, gpu_count=count)
        for model, region, count in ((1, 1, 8), (6, 1, 1), (6, 2, 4), (6, 3, 2))
    ]
    for _ in range(acts):
        market.wait(chance.choice((1, 59, 600, HOUR - market.now % HOUR, 3 * HOUR)))
        listing = chance.choice(machines)
        rental = held.pop(listing, None)
        if rental is not None:
            _leave(market, chance, listing, rental)
        elif chance.random() < 0.7:
            market.act(respecify(listing=listing, **_spec(market, listing, visible=True)))
            market.act(market.heartbeat(market.listing(listing).authority, listing))
            held[listing] = chance.choice((running, running, opened))(market, market.renter(), listing=listing)
        elif chance.random() < 0.5:
            market.act(respecify(listing=listing, **_spec(market, listing, visible=False)))
        elif market.listing(listing).unoffered_since == 0 and market.listing(listing).silence == 0:
            market.fall_silent(listing)
            market.act(market.mark_silent(listing))


def _leave(market: Market, chance: Random, listing: Pubkey, rental: Pubkey) -> None:
    state = market.rental(rental)
    if state.started_at and market.now >= state.started_at + state.duration:
        market.act(market.finalize_rental(rental))
    elif state.started_at and chance.random() < 0.3:
        market.fall_silent(listing)
        market.act(market.report_offline(rental))
    elif chance.random() < 0.3:
        market.act(market.cancel_rental(rental, CloseReason.HOST_MAINTENANCE))
    else:
        market.act(market.stop_rental(rental))


def _spec(market: Market, listing: Pubkey, *, visible: bool) -> dict[str, object]:
    state = market.listing(listing)
    return {"gpu_model": state.gpu_model, "region": state.region, "gpu_count": state.gpu_count, "visible": visible}


def levels_of(transactions: Iterable[Transaction], engine: Engine) -> list[tuple[int, Levels]]:
    """Levels after each event, with its time; `engine` has an empty index and keeps it."""
    found: list[tuple[int, Levels]] = []
    with engine.connect() as connection:
        rows = Rows(connection)
        for transaction in transactions:
            for outcome in decode(transaction, str(PROGRAM_ID)):
                assert isinstance(outcome, Decoded)
                event = outcome.event
                HANDLERS[type(event)](event, Step(rows, outcome.origin, type(event).__name__))
                found.append((event.at, _levels(rows)))  # type: ignore[attr-defined]
    return found


def _levels(rows: Rows) -> Levels:
    gpus, rented, running_now = Counter[Place](), Counter[Place](), Counter[Place]()
    for listing in rows.added(Listing):
        place = listing.gpu_model, listing.region
        heard = listing.last_heartbeat_at > 0 and listing.silence != "proven"
        if listing.current is not None:
            rented[place] += listing.gpu_count
        if listing.closed_at == 0 and (listing.current is not None or (listing.visible and heard)):
            gpus[place] += listing.gpu_count
    for rental in rows.added(Rental):
        running_now[rental.gpu_model, rental.region] += rental.status == "running"
    return {place: (gpus[place], rented[place], running_now[place]) for place in {*gpus, *rented, *running_now}}


def counted(history: list[tuple[int, Levels]], place: Place, start: int, end: int) -> tuple[int, ...]:
    """GPU-seconds, and rented ones, of a place from `start` to `end`, and the levels just before `end`."""
    seconds = rented_seconds = 0
    last = NONE
    for (at, levels), until in zip(history, [*(at for at, _ in history[1:]), end], strict=True):
        if at >= end:
            break
        last = levels.get(place, NONE)
        length = max(min(until, end) - max(at, start), 0)
        seconds += last[0] * length
        rented_seconds += last[1] * length
    return seconds, rented_seconds, *last
