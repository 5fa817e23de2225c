"""One keeper: reads the chain, simulates batches, and lands them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market.program import MarketProgram
from anchor_client.rules.subsidy import SECONDS_PER_DAY, day
from anchor_client.service.pacing import wait_all
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import ComputeBudget, Simulation, TransactionSender
from anchor_client.solana.transactions.fees import recent_price
from anchor_client.solana.transactions.message import MICRO_LAMPORTS
from keeper.endings import Ending, EndingBuilder, SkipReason
from keeper.errors import BudgetSpent
from keeper.form import choose_packer
from keeper.in_flight import InFlight
from keeper.journal import Entry, Journal
from keeper.matcher import Matcher
from keeper.metrics import KeeperMetrics
from keeper.packing import Batch, Packer
from keeper.record import Record
from keeper.sender import BatchSender
from keeper.set_aside import SetAsides
from keeper.settings import AUTO_TABLE, KeeperSettings
from keeper.snapshot import Snapshot
from keeper.source import Source
from keeper.table.upkeep import TableUpkeep
from keeper.tasks import find_rentals_due, next_rental_due_at
from keeper.tasks.request import RequestSubject
from keeper.tasks.task import Due
from keeper.trial import try_batch

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass over the chain: its clock, rentals due, transactions sent for them, endings that failed in simulation.

    `next_at` is the time of the next known work, in the cluster's unix seconds; None without any.
    """

    now: int
    due: int
    sent: int
    failed: int
    next_at: float | None

    @property
    def idle(self) -> bool:
        """True if it changed nothing, so another pass would find the same."""
        return self.sent == 0 and self.failed == 0


class Keeper:
    """Ends due rentals and requests. `on_settled` is called whenever a transaction's fate becomes known."""

    def __init__(
        self,
        settings: KeeperSettings,
        reader: Reader,
        journal: Journal,
        source: Source,
        *,
        metrics: KeeperMetrics | None = None,
        on_settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.wallet = settings.wallet()
        self.waiting = SetAsides(settings.backoff_seconds, settings.max_backoff_seconds)
        self.record = Record(metrics or KeeperMetrics())
        self._reader = reader
        self._journal = journal
        self._source = source
        self._builder = EndingBuilder(self.wallet.pubkey, reader.program_id, unpaid_loss=settings.unpaid_loss_lamports)
        self._matcher = Matcher(reader, settings.price_feeds)
        sender = TransactionSender(reader.client, MarketProgram(reader.program_id), commitment=reader.commitment)
        self._sender = BatchSender(sender, journal, self.wallet)
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._packer: Packer | None = None
        self._packer_day: int | None = None
        self._table = TableUpkeep(reader, journal, self.wallet, settings.max_priority_fee)
        self._on_settled = on_settled
        self.in_flight: InFlight[Entry] = InFlight(self._landed)

    @property
    def unsettled(self) -> int:
        """Rentals of transactions in flight."""
        return sum(len(entry.intents) for entry in self.in_flight.items)

    async def recover(self) -> int:
        """Delivers the journal's transactions that are not in flight; some may have been sent. Returns their number."""
        handled = {entry.signature for entry in self.in_flight.items}
        entries = [entry for entry in await self._journal.entries() if entry.signature not in handled]
        for entry in entries:
            log.info("delivery_resumed", signature=str(entry.signature), rentals=len(entry.intents))
            self._launch(entry, preflight=False)
        return len(entries)

    async def run_pass(self) -> Pass:
        """Reads candidates and sends endings for everything due, without waiting for them to land. Raises
        KeeperOutOfFunds and network errors.
        """
        packer = await self._choose_packer()
        await self.recover()
        busy = {intent.rental for entry in self.in_flight.items for intent in entry.intents}
        snapshot = await self._source.read(self.wallet.pubkey)
        now = snapshot.now
        self._renew_table(day(now))
        self.record.balance(snapshot.lamports or 0)
        self.record.spent_today(await self._journal.spent(day(now)), self.settings.daily_budget_lamports)
        due: Sequence[Due[Any]] = [
            *find_rentals_due(snapshot, now),
            *await self._matcher.find_due(snapshot.requests, now, busy=busy),
        ]
        self.waiting.retain({entry.address for entry in due})
        self.record.looked(now, due)
        endings = self._builder.build(
            entry for entry in due if entry.address not in busy and not self.waiting.holds(entry.address, now)
        )
        batches, unprofitable = self._worthwhile(packer.pack(endings))
        self.record.skipped(dict.fromkeys(unprofitable, SkipReason.UNPROFITABLE))
        attempts = await wait_all(self._attempt(packer, batch, now) for batch in batches)
        self.record.set_aside(self.waiting.entries())
        sent, failed = sum(sent for sent, _ in attempts), sum(failed for _, failed in attempts)
        self.record.passed()
        return Pass(now, len(due), sent, failed, self._next_at(snapshot))

    async def _attempt(self, packer: Packer, batch: Batch, now: int) -> tuple[int, int]:
        """Sends a batch without the endings that would fail. Returns the transactions sent and the endings left out."""
        sent, failed, waiting = 0, 0, [batch]
        while waiting:
            batch = waiting.pop()
            if not batch.endings or batch.surplus < self.settings.min_profit_lamports:
                continue
            async with self._slots:
                result = await try_batch(self._reader, packer, batch)
                if isinstance(result, Simulation):
                    try:
                        await self._send(packer, batch, result, now)
                    except BudgetSpent as error:
                        self.record.budget_spent(error)
                        break
                    sent += 1
                    continue
            if result.ending is not None:
                self._set_aside(result.ending, result.error, now)
                failed += 1
                waiting.append(batch.without(result.ending))
            else:
                waiting.extend(batch.halves())
        return sent, failed

    async def _send(self, packer: Packer, batch: Batch, simulation: Simulation, now: int) -> None:
        budget = await self._budget(batch, simulation)
        entry = await self._sender.sign(packer, batch, budget, day(now))
        self.record.signed(batch)
        self._launch(entry, preflight=True)

    async def _budget(self, batch: Batch, simulation: Simulation) -> ComputeBudget:
        """Compute budget of a batch: its simulated units, priced by recent fees within the tips."""
        units = simulation.budget(0).units
        spare = max(batch.surplus - self.settings.min_profit_lamports, 0)
        cap = min(self.settings.max_priority_fee, spare * MICRO_LAMPORTS // units)
        price = await recent_price(self._reader.client, batch.instructions, self.wallet.pubkey, cap)
        return simulation.budget(price)

    def _set_aside(self, ending: Ending, error: GpuMarketError, now: int) -> None:
        due, reason = ending.due, type(error).__name__
        if isinstance(due.subject, RequestSubject):
            self._matcher.refuse(due.subject, now)
        entry = self.waiting.set_aside(due.address, reason, error.message, now, due.subject.max_retry_seconds)
        self.record.failed(reason)
        log.warning(
            "ending_failed",
            rental=str(due.address),
            task=due.task.name,
            reason=reason,
            message=error.message,
            attempts=entry.attempts,
            retry_in=entry.retry_at - now,
        )

    def _launch(self, entry: Entry, *, preflight: bool) -> None:
        self.in_flight.launch(entry, self._deliver(entry, preflight=preflight))
        self.record.in_flight(len(self.in_flight.items))

    async def _deliver(self, entry: Entry, *, preflight: bool) -> None:
        self.record.settled(await self._sender.deliver(entry, preflight=preflight))

    def _landed(self) -> None:
        self.record.in_flight(len(self.in_flight.items))
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
            next_rental_due_at(snapshot, snapshot.now),
            self._matcher.next_at(snapshot.requests, snapshot.now),
            self.waiting.next_retry_at(snapshot.now),
            None if self.settings.daily_budget_lamports is None else (day(snapshot.now) + 1) * SECONDS_PER_DAY,
        )
        return min((time for time in times if time is not None), default=None)

    def _renew_table(self, today: int) -> None:
        """Schedules a daily check of the keeper's own table in the next pass."""
        if self._packer_day not in (None, today) and self.settings.lookup_table == AUTO_TABLE:
            self._packer = None
        self._packer_day = today

    async def _choose_packer(self) -> Packer:
        if self._packer is None:
            self._packer = await choose_packer(self._reader, self.wallet.pubkey, self.settings, self._table)
            log.info("message_version_chosen", version=str(self._packer.version))
        return self._packer
