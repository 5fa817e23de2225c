"""Follows the chain: ingests up to the newest slot, repairs, compares with the vaults, and waits for more."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

import structlog
from solders.pubkey import Pubkey
from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError

from anchor_client.errors import GpuMarketError, RpcRefused
from anchor_client.generated.accounts import Market
from anchor_client.generated.pdas import find_market
from anchor_client.service.backoff import Backoff
from anchor_client.service.optional import optional
from anchor_client.service.pacing import Attempts
from anchor_client.service.supervision import Turns
from anchor_client.solana.json_rpc import JsonRpc
from indexer.errors import IndexerError, NodeBehind, NoProgress, OtherCluster, Superseded
from indexer.index import projection_version
from indexer.index.failures import report_failure
from indexer.index.finality import Finality
from indexer.index.ingest import BATCH, Ingested, ingest
from indexer.index.proof.gaps import GapRepair
from indexer.index.proof.proofs import Proofs
from indexer.index.proof.reconcile import VaultAddresses, addresses_of
from indexer.index.proof.rescan import unknown_of
from indexer.index.rebuild import is_stale, rebuild
from indexer.index.sources.choice import source_of
from indexer.index.sources.head import SLOT_NOT_REACHED, Head, read_genesis, read_head
from indexer.index.sources.history import History
from indexer.index.sources.source import Frontier, TransactionSource
from indexer.index.transaction import Transaction
from indexer.models import Cursor, Progress
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.progress import progress_of, write_progress
from indexer.store.threads import in_thread

RESCAN_SLOTS = 1_000
"""Slots below the head that the index reads again for what a node listed late."""
FINAL = "finalized"
WAIT_SECONDS = 5.0
"""Seconds that transactions of a slow node wait for more: a process that is killed reads no more than that again."""

LOOKS = Backoff(first=0.5, most=4.0)
"""Waits between looks that fail: an index recovers within seconds of its node, whose own waits spare it."""

BEHIND_SLOTS = 150
"""Slots by which a node may fall behind itself, a minute's: a balancer's nodes differ, and forks are shorter."""
STUCK_SECONDS = 3.0
"""Seconds without progress after which a look counts as failing, whatever its node and its database still promise."""
WATCH_SECONDS = 0.5

Told = Callable[[str], object]
"""Takes progress in words."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reread:
    """Counts of what was taken in by reading slots again."""

    transactions: int
    events: int


class Follower:
    """Keeps one database complete. Several may share a database: each batch is ingested once. `source` is the settings'
    unless one is given.

    `turns` hears of each look at the chain, and of progress in long ones; `trouble` takes why one fails.
    """

    def __init__(
        self,
        settings: IndexerSettings,
        engine: Engine,
        rpc: JsonRpc,
        status: Status,
        *,
        source: TransactionSource | None = None,
        now: Callable[[], float] = time.time,
        turns: Turns | None = None,
        trouble: Callable[[str], object] = lambda reason: None,
    ) -> None:
        engine = projection_version.guard(engine)
        self._trouble = trouble
        self._turns = turns or Turns()
        self._settings = settings
        self._engine = engine
        self._rpc = rpc
        self._status = status
        self._seen: tuple[int, float] | None = None
        """Slot of the last look, and its time on the monotonic clock."""
        status.final_slot = None if settings.commitment == FINAL else 0
        self._history = self._history_at(settings.commitment)
        self._source = source or source_of(settings, self._history, heard=status.heard_slot)
        self._repair = GapRepair(engine, self._history, now=now)
        self._final = self._history_at(FINAL)
        self._finality = Finality(engine, self._final, settings.program_id)
        self._proofs = Proofs(engine, settings.reconcile_interval)
        self._market = find_market(Pubkey.from_string(settings.program_id))[0]

    async def run(self) -> None:
        """Runs until cancelled; whatever a look at the chain raises is logged, counted and tried again.

        Raises Superseded where a newer version has made the tables.
        """
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._source.run(), name="indexer-source")
                group.create_task(self._loop(), name="indexer-loop")
                group.create_task(self._watch(), name="indexer-watch")
        except ExceptionGroup as group:
            if group.subgroup(Superseded) is None:
                raise
            raise Superseded from None

    def wake(self) -> None:
        """Has the chain looked at now, or once more after a look that has begun."""
        self._source.wake()

    async def catch_up(self) -> None:
        """Ingests everything up to the newest slot, repairs what can be, and compares vaults that are due."""
        await self.rebuild_if_stale()
        head, proving, mint = await self._look(self._proofs.due(), await self._proofs.mint_due())
        # Balances are of the head's slot, so that is how far events have to be read to agree with them.
        if (proving or mint) and await self._source.reaches(head.slot):
            until = head.slot
        else:
            proving, mint = [], None
            until = self._source.reach(head.slot)
        await self._ingest_all(self._source.read(await in_thread(self.frontier), until))
        begins = self._proofs.begin()
        if self._source.may_repair:
            if begins:
                await self.read_again(max(0, until - RESCAN_SLOTS), until)
            await self._close_gaps(until)
        if self._settings.commitment != FINAL:
            await self._withdraw()
            self._status.final_slot = await in_thread(self._finality.settled_slot)
        await self.rebuild_if_stale()
        frontier = await in_thread(self.frontier)
        is_level = frontier is None or frontier.slot <= head.slot
        vaults = Head(head.slot, head.unix_timestamp, head.accounts[1:] if mint else head.accounts)
        if mint is not None and is_level:
            await self._proofs.prove_supply(mint, head.accounts[0], head)
        if await self._proofs.prove(proving if is_level else [], vaults):
            self._source.wake()
        self._source.completed(until)
        # Last: what was read counts as complete only once its gaps are closed and its past is settled.
        self._status.completed(until)

    async def read_again(self, since: int, until: int, told: Told = lambda _: None) -> Reread:
        """Takes in what the index lacks of these slots; rebuilding what that changes is left to `rebuild_if_stale`."""
        listed = await self._history.list_since(since, until)
        missing = await in_thread(unknown_of, listed, self._engine)
        told(f"{len(listed):,} transactions, {len(missing):,} of them without events in the index")
        read = events = 0
        async for transactions in self._history.fetch(missing):
            events += (await self._ingest(transactions)).events
            read += len(transactions)
            told(f"{read:,} of {len(missing):,}")
        return Reread(read, events)

    @property
    def is_compared(self) -> bool:
        """True once every vault and the mint have been compared with the chain, and what differs at two slots."""
        return self._proofs.is_complete

    @property
    def waiting(self) -> int:
        """News of the program that no look has answered yet."""
        return self._source.waiting

    def _history_at(self, commitment: str) -> History:
        settings = self._settings
        return History(self._rpc, settings.program_id, commitment=commitment, concurrency=settings.concurrency)

    async def _loop(self) -> None:
        attempts = Attempts(self._failed, LOOKS)
        await attempts.until_done(lambda: in_thread(self._repair.start_over))
        woken = False
        while True:
            await attempts.until_done(self._look_and_tell)
            woken = await self._source.wait(await self._pause(woken))

    async def _pause(self, woken: bool) -> float:
        """Seconds to the next look. One that was called for is repeated soon: nodes may tell sooner than they know."""
        busy = woken or not self._source.is_live
        if busy or (self._settings.commitment != FINAL and await in_thread(self._finality.has_open)):
            return self._settings.poll_interval
        gap_due = await in_thread(self._repair.seconds_left)
        return min(self._settings.idle_interval, max(self._settings.poll_interval, gap_due))

    async def _look_and_tell(self) -> None:
        """A look at the chain, and what has come of it for the processes that answer requests."""
        with self._turns:
            try:
                await self.catch_up()
            except Exception as error:
                self._status.failed(error)
                # The database may be what has failed.
                with contextlib.suppress(DBAPIError):
                    await self._tell()
                raise
            await self._tell()

    async def _watch(self) -> None:
        """Reports failures within a look immediately: a look itself fails only after every attempt and time-out."""
        told: str | None = None
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._turns.seconds > STUCK_SECONDS and self._status.last_error is None:
                self._status.failed(NoProgress(self._turns.seconds))
            if told is None and self._status.last_error is not None:
                self._trouble(self._status.last_error)
                with contextlib.suppress(DBAPIError):
                    await self._tell()
            told = self._status.last_error

    async def _tell(self) -> None:
        await in_thread(write_progress, self._engine, self._settings.program_id, self._status)

    def _failed(self, error: Exception, seconds: float) -> None:
        self._status.failed(error)
        if isinstance(error, Superseded):
            raise error
        report_failure("looking at the chain failed", error, seconds)

    async def _look(
        self, proving: list[VaultAddresses], mint: Pubkey | None
    ) -> tuple[Head, list[VaultAddresses], Pubkey | None]:
        """The head with mint and vaults to compare; without them if the node has not got to where the index is."""
        try:
            head = await self._read_head(proving, mint)
        except RpcRefused as error:
            if not (proving or mint) or error.code != SLOT_NOT_REACHED:
                raise
            log.info("the node lags; vaults are compared later")
            proving = []
            mint = None
            head = await self._read_head(proving, mint)
        await self._recognize(head.slot)
        data, *rest = head.accounts
        market = optional(Market.decode, data)
        self._status.saw_head(head.slot, head.unix_timestamp, market)
        return Head(head.slot, head.unix_timestamp, tuple(rest)), proving, mint

    async def _recognize(self, slot: int) -> None:
        """Refuses a node of another cluster, and one that has fallen far behind. OtherCluster, NodeBehind.

        The cluster is asked for where the slot does not follow the last one, so that it costs no call.
        """
        status = self._status
        if self._seen is None:
            known = await in_thread(self._written)
            before = known.head_slot if known else 0
            status.genesis = known.genesis if known else None
        else:
            before, at = self._seen
            if abs(slot - before - status.slots_since(at)) < BEHIND_SLOTS:
                self._seen = slot, time.monotonic()
                return
        found = await read_genesis(self._rpc)
        if status.genesis not in (None, found):
            raise OtherCluster(found, str(status.genesis))
        if slot + BEHIND_SLOTS < before:
            raise NodeBehind(slot, before)
        status.genesis = found
        self._seen = slot, time.monotonic()

    def _written(self) -> Progress | None:
        with self._engine.connect() as connection:
            found = progress_of(connection, self._settings.program_id)
            return None if found is None else found[0]

    async def _read_head(self, proving: Sequence[VaultAddresses], mint: Pubkey | None) -> Head:
        least: int | None = None
        if proving or mint:
            frontier = await in_thread(self.frontier)
            least = self._status.head_slot
            if frontier is not None:
                least = max(least, frontier.slot)
        wanted = [self._market]
        if mint is not None:
            wanted.append(mint)
        wanted += addresses_of(proving)
        return await read_head(self._rpc, self._settings.commitment, wanted, min_slot=least)

    async def _ingest_all(self, parts: AsyncIterator[list[Transaction]]) -> None:
        """Ingests what comes, many parts at once; what came before a failure as well."""
        waiting: list[Transaction] = []
        since = time.monotonic()
        try:
            async for transactions in parts:
                waiting += transactions
                if len(waiting) >= BATCH or time.monotonic() - since >= WAIT_SECONDS:
                    batch = waiting
                    waiting = []
                    await self._ingest(batch)
                    since = time.monotonic()
        except (IndexerError, GpuMarketError):
            if waiting:
                await self._ingest(waiting)
            raise
        if waiting:
            await self._ingest(waiting)

    async def _ingest(self, transactions: Sequence[Transaction]) -> Ingested:
        ingested = await in_thread(ingest, transactions, self._engine, program=self._settings.program_id)
        self._turns.progressed()
        return ingested

    async def _close_gaps(self, until_slot: int) -> None:
        """Looks for missing events that are due."""
        due = await in_thread(self._repair.due)
        for gap in due:
            await self._ingest_all(self._repair.transactions(gap, until_slot))
        if due:
            await self.rebuild_if_stale()
            await in_thread(self._repair.attempted, due)

    async def _withdraw(self) -> None:
        """Takes back confirmed transactions that did not become final, and takes in those that did elsewhere."""
        if await in_thread(self._finality.has_open):
            final = await read_head(self._rpc, FINAL)
            elsewhere = await self._finality.settle(final.slot)
            await self.rebuild_if_stale()
            await self._ingest_all(self._final.fetch(elsewhere))

    async def rebuild_if_stale(self) -> None:
        """Rebuilds the projections if the past, or the code behind them, has changed since they were made."""
        if await in_thread(is_stale, self._engine):
            log.warning("the past, or what makes the projections, has changed: they are rebuilt")
            await in_thread(rebuild, self._engine, self._turns.progressed, only_stale=True)

    def frontier(self) -> Frontier | None:
        """Last transaction that the database holds without a gap; None before the first."""
        with self._engine.connect() as connection:
            cursor = connection.execute(select(Cursor.table).where(Cursor.c.source == self._settings.program_id))
            row = cursor.first()
            if row is None:
                return None
            return Frontier(row.slot, row.transaction_index, row.signature)
