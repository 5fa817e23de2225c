"""Follows the chain: ingests up to the newest slot, reconciles when due, and waits until there is more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import structlog
from solana.rpc.commitment import Commitment
from solana.rpc.websocket_api import SolanaWsClient
from solders.pubkey import Pubkey
from solders.rpc.config import RpcTransactionLogsFilterMentions
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Market
from anchor_client.generated.pdas import find_market
from anchor_client.json_rpc import JsonRpc
from anchor_client.pacing import until_done
from anchor_client.pubsub import Subscription
from indexer.errors import IndexerError
from indexer.ingest import Ingested, ingest
from indexer.metrics import SOURCE_FAILURES
from indexer.models import Cursor, SeqGap
from indexer.rebuild import rebuild
from indexer.reconcile import VaultAddresses, addresses_of, known_vaults, reconcile
from indexer.rescan import unknown_of
from indexer.settings import Settings
from indexer.sources.head import MAX_ACCOUNTS, Head, read_head
from indexer.sources.rpc import Frontier, RpcSource
from indexer.status import Status
from indexer.transaction import Transaction

RESCAN_SLOTS = 1_000
"""How far behind the frontier the index looks again for what a node listed late."""
REPAIR_SLOTS = 100_000
"""How far when an event is known to be missing."""
VAULTS_A_LOOK = (MAX_ACCOUNTS - 2) // 2

log = structlog.get_logger(__name__)


class Follower:
    """Keeps one database complete. Several may share a database: each batch is ingested once."""

    def __init__(self, settings: Settings, engine: Engine, rpc: JsonRpc, status: Status) -> None:
        self._settings = settings
        self._engine = engine
        self._rpc = rpc
        self._status = status
        self._source = RpcSource(
            rpc, settings.program_id, commitment=settings.commitment, concurrency=settings.concurrency
        )
        self._used = Subscription(
            settings.pubsub_url, self._subscribe, on_lost=SOURCE_FAILURES.labels("subscription").inc
        )
        self._market = find_market(Pubkey.from_string(settings.program_id))[0]
        self._prove_at = 0.0
        self._proven: set[VaultAddresses] = set()
        self._unproven: list[VaultAddresses] = []
        self._gaps = 0

    async def run(self) -> None:
        """Runs until cancelled; whatever a look at the chain raises is logged, counted and tried again."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._used.run(), name="indexer-subscription")
            group.create_task(self._loop(), name="indexer-loop")

    async def catch_up(self) -> None:
        """Ingests everything up to the newest slot, and reconciles vaults that are due."""
        proving = self._unproven[:VAULTS_A_LOOK]
        head = await self._look(proving)
        late = await self._advance(head.slot)
        due = time.monotonic() >= self._prove_at
        late += await self._rescan(head.slot, due)
        if late:
            log.warning("events came late; projections are rebuilt", events=late)
            await asyncio.to_thread(rebuild, self._engine)
            self._gaps = await asyncio.to_thread(self._count_gaps)
        if due:
            self._proven.clear()
            self._prove_at = time.monotonic() + self._settings.reconcile_interval
        if proving:
            await asyncio.to_thread(reconcile, self._engine, proving, head)
            self._proven.update(proving)
        known = await asyncio.to_thread(known_vaults, self._engine)
        self._unproven = [vault for vault in known if vault not in self._proven]
        if self._unproven:
            self._used.changed.set()
        self._status.completed(head.slot)

    async def _subscribe(self, socket: SolanaWsClient) -> None:
        """To every use of the program: it only wakes the loop."""
        program = RpcTransactionLogsFilterMentions(Pubkey.from_string(self._settings.program_id))
        await socket.logs_subscribe(filter_=program, commitment=Commitment(self._settings.commitment))

    async def _loop(self) -> None:
        while True:
            await until_done((Exception,), self._failed)(self.catch_up)
            await self._used.wait(self._settings.poll_interval)

    def _failed(self, error: Exception, seconds: float) -> None:
        self._status.failed(error)
        SOURCE_FAILURES.labels(type(error).__name__).inc()
        known = isinstance(error, (IndexerError, GpuMarketError, DBAPIError))
        log.error(
            "looking at the chain failed",
            error=str(error) or repr(error),
            retry_in=seconds,
            exc_info=None if known else error,
        )

    async def _look(self, proving: Sequence[VaultAddresses]) -> Head:
        head = await read_head(self._rpc, self._settings.commitment, [self._market, *addresses_of(proving)])
        data, *rest = head.accounts
        market = None if data is None else Market.decode(data)
        self._status.saw_head(head.slot, head.unix_timestamp, market)
        return Head(head.slot, head.unix_timestamp, tuple(rest))

    async def _advance(self, until_slot: int) -> int:
        """Ingests what follows the cursor; returns how many events turned out to stand before it."""
        late = 0
        async for transactions in self._source.read(await asyncio.to_thread(self._frontier), until_slot):
            late += (await self._ingest(transactions)).late
        return late

    async def _rescan(self, until_slot: int, due: bool) -> int:
        """Looks again at the last slots when it is due, and further back when events are missing."""
        gaps = await asyncio.to_thread(self._count_gaps)
        if not due and gaps <= self._gaps:
            return 0
        slots = RESCAN_SLOTS if gaps <= self._gaps else REPAIR_SLOTS
        self._gaps = gaps
        late = 0
        listed = await self._source.list_since(max(0, until_slot - slots), until_slot)
        async for transactions in self._source.fetch(await asyncio.to_thread(unknown_of, listed, self._engine)):
            late += (await self._ingest(transactions)).late
        return late

    async def _ingest(self, transactions: Sequence[Transaction]) -> Ingested:
        return await asyncio.to_thread(ingest, transactions, self._engine, program=self._settings.program_id)

    def _frontier(self) -> Frontier | None:
        with self._engine.connect() as connection:
            cursor = connection.execute(select(Cursor.table).where(Cursor.c.source == self._settings.program_id))
            row = cursor.first()
            return None if row is None else Frontier(row.slot, row.transaction_index, row.signature)

    def _count_gaps(self) -> int:
        with self._engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(SeqGap.table)).scalar_one()
