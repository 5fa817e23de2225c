"""One keeper: looks at the chain, tries batches, and lands them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.rpc import Reader
from anchor_client.transactions import ComputeBudget, Simulation, TransactionSender
from anchor_client.transactions.fees import recent_price
from anchor_client.transactions.message import MICRO_LAMPORTS
from anchor_client.wallet import Wallet
from keeper.backoff import Backoff
from keeper.endings import Ending, EndingBuilder, SkipReason
from keeper.form import choose_packer
from keeper.journal import Entry, Journal
from keeper.metrics import KeeperMetrics
from keeper.packing import Batch, Packer
from keeper.record import Record
from keeper.requests import CONSIDER_SECONDS, RequestDesk
from keeper.sender import BatchSender, Outcome
from keeper.settings import KeeperSettings
from keeper.snapshot import Snapshot, read_snapshot
from keeper.tasks import TASKS, Due, find_all_due, next_due_at
from keeper.tasks.request_due import RequestDue
from keeper.trial import Passed, try_batch

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pass:
    """One look at the chain: its clock, rentals due, transactions sent for them, endings that failed beforehand.

    `next_at` is when there may be something to do again, unix seconds of the cluster; None if nothing is in sight.
    """

    now: int
    due: int
    sent: int
    failed: int
    next_at: float | None

    @property
    def idle(self) -> bool:
        """Whether it changed nothing, so that another look would see the same."""
        return self.sent == 0 and self.failed == 0


@dataclass(frozen=True, slots=True)
class _Attempt:
    sent: int
    failed: int


class Keeper:
    """Ends what is due. `on_settled` is called whenever a transaction's fate becomes known."""

    def __init__(
        self,
        settings: KeeperSettings,
        reader: Reader,
        journal: Journal,
        *,
        metrics: KeeperMetrics | None = None,
        on_settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.wallet: Wallet = settings.wallet()
        self.backoff = Backoff(settings.backoff_seconds, settings.max_backoff_seconds)
        self.record = Record(metrics or KeeperMetrics())
        self._reader = reader
        self._journal = journal
        self._on_settled = on_settled
        self._builder = EndingBuilder(
            reader,
            self.wallet.pubkey,
            loss=settings.token_account_loss_lamports,
            unpaid_loss=settings.unpaid_loss_lamports,
        )
        self._requests = RequestDesk(
            reader, self.wallet.pubkey, loss=settings.token_account_loss_lamports, price_feeds=settings.price_feeds
        )
        sender = TransactionSender(reader.client, commitment=reader.commitment, program_id=reader.program_id)
        self._sender = BatchSender(sender, journal, self.wallet)
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._packer: Packer | None = None
        self._deliveries: dict[asyncio.Task[None], Entry] = {}

    async def recover(self) -> int:
        """Takes up the transactions of the journal that nobody delivers; how many. They may have been sent before."""
        handled = {entry.signature for entry in self._deliveries.values()}
        entries = [entry for entry in await self._journal.entries() if entry.signature not in handled]
        for entry in entries:
            log.info("delivery_resumed", signature=str(entry.signature), rentals=len(entry.intents))
            self._launch(entry, preflight=False)
        return len(entries)

    async def run_pass(self) -> Pass:
        """Reads the chain and sends what ends everything due, without waiting for it to land.

        Raises KeeperOutOfFunds and the network's errors.
        """
        packer = await self._message_form()
        await self.recover()
        busy = {intent.rental for entry in self._deliveries.values() for intent in entry.intents}
        snapshot = await read_snapshot(self._reader)
        due: list[Due | RequestDue] = [*find_all_due(TASKS, snapshot, snapshot.now)]
        due += await self._requests.find_due(snapshot.requests, snapshot.now, busy=busy)
        self.backoff.retain({entry.address for entry in due})
        open_ = [
            entry for entry in due if entry.address not in busy and not self.backoff.holds(entry.address, snapshot.now)
        ]
        self.record.looked(snapshot.now, due)
        endings = await self._builder.build(entry for entry in open_ if isinstance(entry, Due))
        requests = await self._requests.build(entry for entry in open_ if isinstance(entry, RequestDue))
        skipped = {**endings.skipped, **requests.skipped}
        batches, unprofitable = self._worthwhile(packer.pack([*endings.ready, *requests.ready]))
        skipped |= dict.fromkeys(unprofitable, SkipReason.UNPROFITABLE)
        self.record.skipped(skipped)
        attempts = [asyncio.create_task(self._attempt(packer, batch, snapshot.now)) for batch in batches]
        results = await _all(attempts)
        sent, failed = sum(result.sent for result in results), sum(result.failed for result in results)
        self.record.set_aside(self.backoff.entries())
        return Pass(snapshot.now, len(due), sent, failed, self._next_at(snapshot))

    async def drain(self, seconds: float | None = None) -> bool:
        """Waits until nothing is in flight, at most so many seconds; whether that is so."""
        if self._deliveries:
            await asyncio.wait(self._deliveries, timeout=seconds)
        return not self._deliveries

    async def close(self) -> None:
        """Lets go of what is in flight; the journal of a state directory keeps it."""
        tasks = list(self._deliveries)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def in_flight(self) -> int:
        """Rentals whose transaction's fate is open."""
        return sum(len(entry.intents) for entry in self._deliveries.values())

    async def _attempt(self, packer: Packer, batch: Batch, now: int) -> _Attempt:
        """Sends a batch without the endings that would fail."""
        sent, failed, waiting = 0, 0, [batch]
        while waiting:
            batch = waiting.pop()
            if not batch.endings or batch.surplus < self.settings.min_profit_lamports:
                continue
            async with self._slots:
                result = await try_batch(self._reader, packer, batch)
                if isinstance(result, Passed):
                    await self._send(packer, batch, result.simulation)
                    sent += 1
                    continue
            if result.ending is not None:
                self._set_aside(result.ending, result.error, now)
                failed += 1
                waiting.append(batch.without(result.ending))
            else:
                waiting.extend(batch.halves())
        return _Attempt(sent, failed)

    async def _send(self, packer: Packer, batch: Batch, simulation: Simulation) -> None:
        budget = await self._budget(batch, simulation)
        entry = await self._sender.sign(packer, batch, budget)
        self.record.signed(batch)
        self._launch(entry, preflight=True)

    async def _budget(self, batch: Batch, simulation: Simulation) -> ComputeBudget:
        """What the simulation used, priced by recent fees as far as the tips pay for it."""
        units = simulation.budget(0).units
        spare = max(batch.surplus - self.settings.min_profit_lamports, 0)
        cap = min(self.settings.max_priority_fee, spare * MICRO_LAMPORTS // units)
        price = await recent_price(self._reader.client, batch.instructions, self.wallet.pubkey, cap)
        return simulation.budget(price)

    def _set_aside(self, ending: Ending, error: GpuMarketError, now: int) -> None:
        address, reason = ending.due.address, type(error).__name__
        most = None
        if isinstance(ending.due, RequestDue):
            self._requests.refuse(ending.due, now)
            most = CONSIDER_SECONDS
        entry = self.backoff.set_aside(address, reason, error.message, now, most)
        self.record.failed(reason)
        log.warning(
            "ending_failed",
            rental=str(address),
            task=ending.due.task.name,
            reason=reason,
            message=error.message,
            attempts=entry.attempts,
            retry_in=entry.retry_at - now,
        )

    def _launch(self, entry: Entry, *, preflight: bool) -> None:
        task = asyncio.create_task(self._deliver(entry, preflight=preflight), name=f"deliver-{entry.signature}")
        self._deliveries[task] = entry
        self.record.in_flight(len(self._deliveries))
        task.add_done_callback(self._delivered)

    async def _deliver(self, entry: Entry, *, preflight: bool) -> None:
        outcome: Outcome = await self._sender.deliver(entry, preflight=preflight)
        self.record.settled(outcome)

    def _delivered(self, task: asyncio.Task[None]) -> None:
        entry = self._deliveries.pop(task)
        self.record.in_flight(len(self._deliveries))
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("delivery_broken", signature=str(entry.signature), exc_info=error)
        self._on_settled()

    def _worthwhile(self, batches: Iterable[Batch]) -> tuple[list[Batch], list[Pubkey]]:
        paying, unprofitable = [], []
        for batch in batches:
            if batch.surplus >= self.settings.min_profit_lamports:
                paying.append(batch)
            else:
                unprofitable += [ending.due.address for ending in batch.endings]
        return paying, unprofitable

    def _next_at(self, snapshot: Snapshot) -> float | None:
        times = (
            next_due_at(TASKS, snapshot, snapshot.now),
            self._requests.next_at(snapshot.requests, snapshot.now),
            self.backoff.next_retry_at(snapshot.now),
        )
        return min((time for time in times if time is not None), default=None)

    async def _message_form(self) -> Packer:
        if self._packer is None:
            self._packer = await choose_packer(self._reader, self.wallet.pubkey, self.settings)
            log.info("message_version_chosen", version=str(self._packer.version))
        return self._packer


async def _all(attempts: list[asyncio.Task[_Attempt]]) -> list[_Attempt]:
    """Every result once all have ended; the first failure, if any, after that."""
    results = await asyncio.gather(*attempts, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, _Attempt)]
