"""One keeper: reads the chain, and sends endings for everything due."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from solders.pubkey import Pubkey

from anchor_client.rules.subsidy import SECONDS_PER_DAY, day
from anchor_client.solana.wallet import Wallet
from keeper.dispatch import BatchDispatch
from keeper.endings import EndingBuilder, SkipReason
from keeper.form import DailyPacker
from keeper.journal import Journal
from keeper.matcher import Matcher
from keeper.packing import Batch
from keeper.record import KeeperRecord
from keeper.set_aside import SetAsides
from keeper.settings import KeeperSettings
from keeper.share import WorkShare
from keeper.snapshot import Snapshot
from keeper.source import CandidateSource
from keeper.tasks import find_rentals_due, next_rental_due_at
from keeper.tasks.task import DueTask


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


@dataclass(frozen=True, slots=True)
class Keeper:
    """Ends due rentals and requests; `assemble` makes one."""

    settings: KeeperSettings
    wallet: Wallet
    share: WorkShare
    waiting: SetAsides
    record: KeeperRecord
    dispatch: BatchDispatch
    packing: DailyPacker
    journal: Journal
    source: CandidateSource
    builder: EndingBuilder
    matcher: Matcher

    async def run_pass(self) -> Pass:
        """Reads candidates and sends endings for everything due, without waiting for them to land. Raises
        KeeperOutOfFunds and network errors.
        """
        packer = await self.packing.choose()
        await self.dispatch.recover()
        busy = self.dispatch.busy
        snapshot = await self.source.read(self.wallet.pubkey)
        now = snapshot.now
        self.packing.renew(day(now))
        self.record.balance(snapshot.lamports or 0)
        self.record.spent_today(await self.journal.spent(day(now)), self.settings.daily_budget_lamports)
        due: Sequence[DueTask[Any]] = [
            *find_rentals_due(snapshot, now),
            *await self.matcher.find_due(snapshot.requests, now, busy=busy),
        ]
        self.waiting.retain({entry.address for entry in due})
        taken = self.share.take(due, now)
        self.record.looked(now, due, len(due) - len(taken))
        endings = self.builder.build(
            entry for entry in taken if entry.address not in busy and not self.waiting.holds(entry.address, now)
        )
        batches, unprofitable = self._worthwhile(packer.pack(endings))
        self.record.skipped(dict.fromkeys(unprofitable, SkipReason.UNPROFITABLE))
        sent, failed = await self.dispatch.send(packer, batches, now)
        self.record.set_aside(self.waiting.entries())
        self.record.passed()
        return Pass(now, len(due), sent, failed, self._next_at(snapshot))

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
            self.matcher.next_at(snapshot.requests, snapshot.now),
            self.waiting.next_retry_at(snapshot.now),
            self.share.next_at,
            None if self.settings.daily_budget_lamports is None else (day(snapshot.now) + 1) * SECONDS_PER_DAY,
        )
        return min((time for time in times if time is not None), default=None)
