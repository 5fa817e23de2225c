"""Sends notices, from one process at a time: which one a leader lock decides. To each endpoint one goes at a time.

An endpoint's first attempts are in the order in which notices were made; one that failed waits for its next attempt,
and does not hold up those behind it. Endpoints take turns, in two lanes (see `lanes`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from anchor_client.service.leader_lock import (
    HEARTBEATS,
    LeaderLock,
    LeaderLockUnreachable,
    LeaderLockUnusable,
    open_lock,
)
from anchor_client.service.name_lookup import NameLookup
from indexer.accounts import deliveries
from indexer.accounts.deliveries import DeliveryOutcome, Waiting
from indexer.api.webhooks.audience import Audience
from indexer.api.webhooks.lanes import Lanes
from indexer.api.webhooks.noting import Noting
from indexer.api.webhooks.sending import attempt
from indexer.api.webhooks.timed import Timed
from indexer.changes.dispatch import ChangeDispatcher
from indexer.metrics import WEBHOOK_ATTEMPTS, WEBHOOK_SECONDS
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.transactions import Reads, Writes

LEASE_SECONDS = 15.0
LONGEST_WAIT = 5.0
"""Seconds between reads without a signal: accounts may be in a database that sends none."""
TIMED_SECONDS = 1.0
"""Between looks at the jobs that run."""
PRUNE_SECONDS = 3_600.0
RETRY_SECONDS = 1.0
LOCK = "{database}-webhooks.lock"

log = structlog.get_logger(__name__)


class Delivering:
    """Makes notices of what the index takes in, and sends them."""

    def __init__(self, settings: IndexerSettings, status: Status, changes: ChangeDispatcher) -> None:
        self._settings = settings
        self._status = status
        self._changes = changes
        self._woken = asyncio.Event()
        self._sending: dict[str, asyncio.Task[None]] = {}
        """By endpoint."""
        self._lanes = Lanes(settings.webhook_concurrency)
        self._outcomes: list[DeliveryOutcome] = []
        self._timed_at: float = 0.0
        self._pruned_at: float = 0.0

    def wake(self) -> None:
        """Something was committed."""
        self._woken.set()

    @asynccontextmanager
    async def running(
        self, index: Engine, reads: Reads, account_reads: Reads, account_writes: Writes
    ) -> AsyncIterator[None]:
        """Sends whenever this process leads, until the context is left."""
        self._reads = reads
        self._account_reads = account_reads
        self._account_writes = account_writes
        self._noting = Noting(reads, account_reads, account_writes, self._status)
        self._timed = Timed()
        running = asyncio.create_task(self._lead(_lock_of(index, self._settings)))
        try:
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _lead(self, lock: LeaderLock | None) -> None:
        """Sends while it has the lock; no lock is needed where no other process can read the database."""
        beat = LEASE_SECONDS / HEARTBEATS
        try:
            while True:
                if lock is None or await _hold(lock):
                    log.debug("webhooks are sent by this process")
                    await self._send_while(lock, beat)
                await asyncio.sleep(beat)
        finally:
            if lock is not None:
                await lock.close()

    async def _send_while(self, lock: LeaderLock | None, beat: float) -> None:
        """Returns once the lock is lost."""
        sending = asyncio.create_task(self._send())
        try:
            while True:
                await asyncio.wait([sending], timeout=None if lock is None else beat)
                if sending.done():
                    sending.result()
                if lock is not None and not await _hold(lock):
                    return
        finally:
            attempts = [*self._sending.values()]
            for task in (sending, *attempts):
                task.cancel()
            await asyncio.gather(sending, *attempts, return_exceptions=True)
            self._sending.clear()
            self._lanes = Lanes(self._settings.webhook_concurrency)
            with suppress(SQLAlchemyError):
                await self._record()

    async def _send(self) -> None:
        while True:
            # Before the round: what is committed during it has it repeated.
            self._woken.clear()
            try:
                wait = await self._round()
            except Exception as failure:  # what this process cannot do now it may do later, or the next one
                log.error("webhooks cannot be sent", exc_info=failure)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._woken.wait()

    async def _round(self) -> float:
        """Does the due work; returns the seconds until more may be due."""
        await self._changes.dispatch()
        now = int(time.time())
        waits = [LONGEST_WAIT]
        if await self._noting.note(now):
            self._woken.set()
        audience = self._noting.roster.all
        if len(audience):
            waits.append(await self._look(audience, now))
            await self._prune(now)
        await self._record()
        if len(audience):
            await self._begin_due(now)
            next_at = await self._account_reads(deliveries.next_at, now)
            if next_at is not None:
                waits.append(next_at - time.time())
        return max(min(waits), 0.0)

    async def _begin_due(self, now: int) -> None:
        """Begins attempts for which there are senders; the end of each begins another round."""
        due = await self._account_reads(deliveries.due, now, [*self._sending])
        chosen = self._lanes.choose(due)
        if not chosen:
            return
        try:
            for waiting in await self._account_reads(deliveries.take, now, chosen):
                self._begin(waiting)
        finally:
            for endpoint in set(chosen) - self._sending.keys():
                self._lanes.give_back(endpoint)

    async def _look(self, audience: Audience, now: int) -> float:
        """Notices that come of time; seconds until the next."""
        pause = self._timed_at + TIMED_SECONDS - time.monotonic()
        if pause > 0:
            return pause
        version = self._noting.roster.version
        look = await self._reads(self._timed.look, audience, self._status, now)
        if look.notices:
            self._timed.keep(await self._account_writes(deliveries.note_asked, version, look.notices))
        self._timed_at = time.monotonic()
        if look.next_at is None:
            return LONGEST_WAIT
        return max(look.next_at - self._status.now(), TIMED_SECONDS)

    async def _record(self) -> None:
        outcomes = self._outcomes
        self._outcomes = []
        if not outcomes:
            return
        try:
            disabled = await self._account_writes(deliveries.record, outcomes, int(time.time()))
        except SQLAlchemyError:
            # Nothing of an attempt may be lost: without its outcome the same notice would be sent again.
            self._outcomes = outcomes + self._outcomes
            raise
        for webhook in disabled:
            log.warning("webhook disabled", webhook=webhook.id, wallet=webhook.wallet, reason=webhook.disabled_reason)

    async def _prune(self, now: int) -> None:
        if time.monotonic() >= self._pruned_at + PRUNE_SECONDS and not await self._account_writes(
            deliveries.prune, now
        ):
            self._pruned_at = time.monotonic()

    def _begin(self, waiting: Waiting) -> None:
        self._sending[waiting.endpoint] = asyncio.create_task(self._attempt(waiting))

    async def _attempt(self, waiting: Waiting) -> None:
        lookup = NameLookup()
        try:
            outcome = await attempt(waiting, lookup, private=self._settings.webhook_private)
        except Exception as failure:  # of one notice: the others continue
            log.error("an attempt broke", delivery=waiting.id, exc_info=failure)
            outcome = DeliveryOutcome(waiting.id, waiting.endpoint, None, "it cannot be sent")
        if outcome.error is None:
            what = "webhook sent"
            WEBHOOK_ATTEMPTS.labels("delivered").inc()
            WEBHOOK_SECONDS.observe(max(time.time() - waiting.made_at, 0.0))
        elif outcome.is_cut:
            what = "webhook slow"
            WEBHOOK_ATTEMPTS.labels("cut").inc()
        else:
            what = "webhook not taken"
            WEBHOOK_ATTEMPTS.labels("failed").inc()
        log.info(
            what,
            **{"webhook": waiting.endpoint, "delivery": waiting.id, "type": waiting.type},
            **{"status": outcome.response, "error": outcome.error},
        )
        self._outcomes.append(outcome)
        self._woken.set()
        # A sender stands for a thread too: an endpoint that is cut while its name is looked up keeps it.
        await lookup.ended()
        self._sending.pop(waiting.endpoint, None)
        self._lanes.give_back(waiting.endpoint)
        self._woken.set()


async def _hold(lock: LeaderLock) -> bool:
    """True where this process leads. False where that is unknown: a notice that comes late is better than two."""
    try:
        return await lock.hold()
    except (LeaderLockUnreachable, LeaderLockUnusable) as error:
        log.warning("webhooks wait", error=error.message)
        return False


def _lock_of(index: Engine, settings: IndexerSettings) -> LeaderLock | None:
    """Beside an index in a file, or in a PostgreSQL database."""
    program = Pubkey.from_string(settings.program_id)
    if index.dialect.name == "postgresql":
        return open_lock(index.url.render_as_string(hide_password=False), "webhooks", program, LEASE_SECONDS)
    database = index.url.database
    if not database or database == ":memory:":
        return None
    return open_lock(str(Path(LOCK.format(database=database))), "webhooks", program, LEASE_SECONDS)
