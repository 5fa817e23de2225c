"""Events that are missing: work that lives in the database until it is done or given up.

A gap is looked for where its entity's account is named, between the events on its two sides, as far back as those are.
The first attempts come at an even pace, for a node may know in a moment what it does not know now; each after them that
does not close it doubles the wait for the next.
"""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import Connection, Engine, Row, delete, func, insert, not_, select, tuple_, update
from sqlalchemy.sql.functions import coalesce

from anchor_client.errors import NODE_FAILURES
from anchor_client.service.backoff import Backoff
from indexer.errors import IndexerError
from indexer.index.sources.history import History
from indexer.index.transaction import Transaction
from indexer.metrics import GAP_GIVEN_UP, GAP_OPEN, GAPS
from indexer.models import GapAttempt, SeqGap
from indexer.store.database import writing

WAITS = Backoff(first=5, most=3_600)
EARLY = 12
"""Attempts after which waits begin to grow: a minute's."""
MAX_ATTEMPTS = EARLY + 15
"""About six hours; then an operator is needed."""
GAPS_A_LOOK = 20

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Gap:
    """Events `expected` to `found` - 1 of an entity, missing since slot `since_slot` and before `signature`."""

    entity: str
    kind: str
    expected: int
    found: int
    since_slot: int
    slot: int
    signature: str
    attempts: int

    @property
    def given_up(self) -> bool:
        """True once it is no longer looked for."""
        return self.attempts >= MAX_ATTEMPTS

    def __str__(self) -> str:
        last = self.found - 1
        if last == self.expected:
            events = f"event {last}"
        else:
            events = f"events {self.expected} to {last}"
        if self.given_up:
            tried = f"given up after {self.attempts} attempts"
        else:
            tried = f"looked for {self.attempts} times"
        return f"{events} of {self.kind} {self.entity}, {tried}"


WITH_ATTEMPTS = (
    select(
        *(SeqGap.c[name] for name in ("entity", "kind", "expected", "found", "since_slot", "slot", "signature")),
        coalesce(GapAttempt.c.attempts, 0).label("attempts"),
    )
    .select_from(SeqGap.table)
    .join(
        GapAttempt.table,
        (GapAttempt.c.entity == SeqGap.c.entity) & (GapAttempt.c.found == SeqGap.c.found),
        isouter=True,
    )
)


def wait_after(attempts: int) -> float:
    """Seconds to the next attempt, after a number of them."""
    return WAITS.wait(max(1, attempts - EARLY))


def known_gaps(connection: Connection, limit: int) -> list[Gap]:
    """Some gaps, those given up first."""
    rows = connection.execute(WITH_ATTEMPTS.order_by(coalesce(GapAttempt.c.attempts, 0).desc()).limit(limit))
    return [_gap(row) for row in rows]


class GapRepair:
    """Looks for what is missing, when it is due. `now` gives unix seconds."""

    def __init__(self, engine: Engine, history: History, *, now: Callable[[], float] = time.time) -> None:
        self._engine = engine
        self._history = history
        self._now = now

    def start_over(self) -> None:
        """Looks for everything again, also for what was given up: the node may be another."""
        with writing(self._engine) as connection:
            connection.execute(delete(GapAttempt.table))

    def due(self) -> list[Gap]:
        """The gaps to look for now; also counts all for the metrics."""
        waits_until = coalesce(GapAttempt.c.next_at, 0)
        attempts = coalesce(GapAttempt.c.attempts, 0)
        with self._engine.connect() as connection:
            counted = [row.attempts >= MAX_ATTEMPTS for row in connection.execute(WITH_ATTEMPTS)]
            found = connection.execute(
                WITH_ATTEMPTS.where(waits_until <= int(self._now()), attempts < MAX_ATTEMPTS)
                .order_by(waits_until)
                .limit(GAPS_A_LOOK)
            )
            due = [_gap(row) for row in found]
        GAPS.labels(GAP_GIVEN_UP).set(sum(counted))
        GAPS.labels(GAP_OPEN).set(len(counted) - sum(counted))
        return due

    def seconds_left(self) -> float:
        """Seconds until a gap is due; infinite without one."""
        next_at = select(func.min(GapAttempt.c.next_at))
        looked_for = GapAttempt.c.attempts < MAX_ATTEMPTS
        with self._engine.connect() as connection:
            found = connection.execute(next_at.where(looked_for)).scalar_one()
        return math.inf if found is None else max(0.0, found - self._now())

    async def transactions(self, gap: Gap, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Every transaction that may have the missing events, as far as the node gives them."""
        try:
            listed = await self._history.list_since(gap.since_slot, min(gap.slot, until_slot), address=gap.entity)
            async for transactions in self._history.fetch([entry for entry in listed if not entry.failed]):
                yield transactions
        except (*NODE_FAILURES, IndexerError) as error:
            log.warning("looking for missing events failed", gap=str(gap), error=str(error))

    def attempted(self, gaps: Sequence[Gap]) -> None:
        """Writes down that these were looked for, and forgets those that are closed."""
        with writing(self._engine) as connection:
            for gap in gaps:
                _count(connection, gap, int(self._now()))
            entity = GapAttempt.c.entity
            found = GapAttempt.c.found
            open_ones = select(SeqGap.c.entity, SeqGap.c.found)
            connection.execute(delete(GapAttempt.table).where(not_(tuple_(entity, found).in_(open_ones))))


def _count(connection: Connection, gap: Gap, now: int) -> None:
    attempts = gap.attempts + 1
    next_at = now + int(wait_after(attempts))
    values = {"attempts": attempts, "next_at": next_at}
    key = {"entity": gap.entity, "found": gap.found}
    known = connection.execute(
        update(GapAttempt.table).where(*(GapAttempt.c[name] == value for name, value in key.items())).values(values)
    )
    if known.rowcount == 0:
        connection.execute(insert(GapAttempt.table).values(**key, **values))
    if attempts == MAX_ATTEMPTS:
        log.error("missing events are no longer looked for", gap=str(gap))


def _gap(row: Row[*tuple[Any, ...]]) -> Gap:
    return Gap(*row)
