"""One keeper: reads the chain, and sends endings for everything due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market.reads import MarketReader
from anchor_client.rules.subsidy import SECONDS_PER_DAY, day
from anchor_client.solana.rpc import Reader
from keeper.dispatch import BatchDispatch
from keeper.endings import Ending, EndingBuilder, SkipReason
from keeper.form import choose_packer
from keeper.journal import Journal
from keeper.matcher import Matcher
from keeper.metrics import KeeperMetrics
from keeper.packing import Batch, Packer
from keeper.record import KeeperRecord
from keeper.set_aside import SetAsides
from keeper.settings import AUTO_TABLE, KeeperSettings
from keeper.share import WorkShare
from keeper.snapshot import Snapshot
from keeper.source import CandidateSource
from keeper.table.upkeep import TableUpkeep
from keeper.tasks import find_rentals_due, next_rental_due_at
from keeper.tasks.request import RequestSubject
from keeper.tasks.task import DueTask

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
        source: CandidateSource,
        *,
        metrics: KeeperMetrics | None = None,
        on_settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.wallet = settings.wallet()
        self.share = WorkShare(settings.turn_seconds)
        self.waiting = SetAsides(settings.backoff_seconds, settings.max_backoff_seconds)
        self.record = KeeperRecord(metrics or KeeperMetrics())
        self._reader = reader
        self._journal = journal
        self._source = source
        self._builder = EndingBuilder(self.wallet.pubkey, reader.program_id, unpaid_loss=settings.unpaid_loss_lamports)
        self._matcher = Matcher(MarketReader.over(reader, price_feeds=settings.price_feeds))
        self.dispatch = BatchDispatch(
            settings, reader, journal, self.record, on_failed=self._set_aside, on_settled=on_settled
        )
        self._packer: Packer | None = None
        self._packer_day: int | None = None
        self._table = TableUpkeep(reader, journal, self.wallet, settings.max_priority_fee)

    async def run_pass(self) -> Pass:
        """Reads candidates and sends endings for everything due, without waiting for them to land. Raises
        KeeperOutOfFunds and network errors.
        """
        packer = await self._choose_packer()
        await self.dispatch.recover()
        busy = self.dispatch.busy
        snapshot = await self._source.read(self.wallet.pubkey)
        now = snapshot.now
        self._renew_table(day(now))
        self.record.balance(snapshot.lamports or 0)
        self.record.spent_today(await self._journal.spent(day(now)), self.settings.daily_budget_lamports)
        due: Sequence[DueTask[Any]] = [
            *find_rentals_due(snapshot, now),
            *await self._matcher.find_due(snapshot.requests, now, busy=busy),
        ]
        self.waiting.retain({entry.address for entry in due})
        taken = self.share.take(due, now)
        self.record.looked(now, due, len(due) - len(taken))
        endings = self._builder.build(
            entry for entry in taken if entry.address not in busy and not self.waiting.holds(entry.address, now)
        )
        batches, unprofitable = self._worthwhile(packer.pack(endings))
        self.record.skipped(dict.fromkeys(unprofitable, SkipReason.UNPROFITABLE))
        sent, failed = await self.dispatch.send(packer, batches, now)
        self.record.set_aside(self.waiting.entries())
        self.record.passed()
        return Pass(now, len(due), sent, failed, self._next_at(snapshot))

    def _set_aside(self, ending: Ending, error: GpuMarketError, now: int) -> None:
        due = ending.due
        reason = type(error).__name__
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

    def _worthwhile(self, batches: Iterable[Batch]) -> tuple[list[Batch], list[Pubkey]]:
        paying: list[Batch] = []
        unprofitable: list[Pubkey] = []
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
            self.share.next_at,
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
            packer = await choose_packer(self._reader, self.wallet.pubkey, self.settings, self._table)
            self._packer = replace(packer, order=self.share.order)
            log.info("message_version_chosen", version=str(self._packer.version))
        return self._packer
