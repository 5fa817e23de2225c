"""Counts a keeper's work in its summary and its metrics alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import structlog
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import GpuMarketError
from anchor_client.service.optional import optional
from keeper.endings import SkipReason
from keeper.errors import BudgetSpent
from keeper.journal import JournalEntry
from keeper.leader import Role
from keeper.metrics import KeeperMetrics
from keeper.names import CrankName
from keeper.packing import Batch
from keeper.sender import Fate, SentBatch
from keeper.set_aside import SetAside
from keeper.summary import CrankDone, EndingDone, KeeperSummary
from keeper.tasks.task import DueTask

log = structlog.get_logger(__name__)

LOST: Final = (Fate.FAILED, Fate.REFUSED)


class KeeperRecord:
    """Counts each event once, in both."""

    def __init__(self, metrics: KeeperMetrics) -> None:
        self.summary = KeeperSummary()
        self._metrics = metrics
        self._is_told = False

    def looked(self, now: int, due: Sequence[DueTask[Any]], others_turn: int) -> None:
        """A pass read the chain and found this due; `others_turn` of it waits for this keeper's turn."""
        self._metrics.due.set(len(due))
        self._metrics.waiting_turn.set(others_turn)
        self._metrics.oldest_overdue.set(max((now - entry.due_at for entry in due), default=0))

    def role(self, role: Role) -> None:
        """The leader lock gives the keeper this role."""
        for each in Role:
            self._metrics.role.labels(each).set(each is role)

    def balance(self, lamports: int) -> None:
        """Records the balance of the keeper's wallet, which pays the fees."""
        self._metrics.balance.set(lamports)

    def passed(self) -> None:
        """A pass succeeded."""
        self._metrics.last_pass.set_to_current_time()

    def spent_today(self, lamports: int, budget: int | None) -> None:
        """Records the cost of this UTC day's transactions; `budget` is its maximum, None for no limit."""
        self._metrics.spent_today.set(lamports)
        if budget is not None:
            self._metrics.budget_left.set(budget - lamports)
        if budget is None or lamports < budget:
            self._metrics.budget_spent.set(0)
            self._is_told = self._is_told and lamports > 0

    def budget_spent(self, error: BudgetSpent) -> None:
        """Due work is not sent because the budget is spent."""
        self._metrics.budget_spent.set(1)
        if not self._is_told:
            log.warning("budget_spent", message=error.message)
        self._is_told = True

    def skipped(self, reasons: Mapping[Pubkey, SkipReason]) -> None:
        """These rentals are skipped; one already skipped for the same reason is not counted again."""
        for rental, reason in reasons.items():
            if self.summary.skipped.get(rental) is not reason:
                self._metrics.skipped.labels(reason).inc()
                log.info("ending_skipped", rental=str(rental), reason=str(reason))
        self.summary.skipped = dict(reasons)

    def taken_first(self, count: int) -> None:
        """These were ended by others before this keeper sent anything."""
        self._metrics.taken_first.inc(count)

    def failed(self, reason: str) -> None:
        """An ending failed in simulation."""
        self._metrics.failed.labels(reason).inc()

    def set_aside(self, entries: Mapping[Pubkey, SetAside]) -> None:
        """These rentals are due and set aside."""
        self.summary.failed = dict(entries)

    def signed(self, batch: Batch) -> None:
        """A batch was signed and will be sent."""
        self._metrics.batch_size.observe(len(batch.endings))

    def in_flight(self, count: int) -> None:
        """`count` transactions are in flight."""
        self._metrics.in_flight.set(count)

    def finished(self, due: int, in_flight: int) -> None:
        """The last look found `due` rentals due; `in_flight` have not landed."""
        known = len(self.summary.skipped) + len(self.summary.failed)
        self.summary.unresolved = max(due - known, in_flight)

    def cut_short(self, error: Exception) -> None:
        """An error ended a pass over the chain or over a crank."""
        self._metrics.pass_failures.labels(type(error).__name__).inc()
        known = isinstance(error, GpuMarketError)
        log.warning("pass_cut_short", error=str(error) or repr(error), exc_info=None if known else error)

    def settled(self, sent: SentBatch) -> None:
        """A transaction's fate is known, or cannot be learned for now."""
        entry = sent.entry
        fate = sent.fate
        self._metrics.transactions.labels(fate).inc()
        self.summary.transactions += 1
        log.info(
            "transaction_settled",
            signature=str(entry.signature),
            fate=str(fate),
            rentals=[str(intent.rental) for intent in entry.intents],
            error=optional(str, sent.error),
        )
        if fate is Fate.LANDED:
            self._landed(entry)
        elif fate is Fate.FAILED:
            self._spend(entry.fee)
            self.summary.lost_lamports += entry.fee
            self._metrics.lost.inc(entry.fee)
        if fate in LOST:
            self.summary.lost_races += len(entry.intents)
            self._metrics.lost_races.inc(len(entry.intents))

    def crank_sent(self, fee: int) -> None:
        """A transaction of a crank has landed; `fee` in lamports."""
        self._metrics.transactions.labels(Fate.LANDED).inc()
        self.summary.transactions += 1
        self._spend(fee)

    def crank_done(self, crank: CrankName, due: DueTask[Any], signature: Signature) -> None:
        """A crank's task is done for an account; the signature is of its last transaction."""
        self._metrics.cranks_done.labels(crank, due.task.name).inc()
        self.summary.cranks.append(CrankDone(crank, due.task.name, due.address, signature))
        log.info("crank_done", crank=str(crank), task=due.task.name, address=str(due.address))

    def crank_failed(self, crank: CrankName, due: DueTask[Any], entry: SetAside) -> None:
        """A crank's task failed."""
        self._metrics.cranks_failed.labels(crank, entry.reason).inc()
        log.warning(
            "crank_failed",
            crank=str(crank),
            task=due.task.name,
            address=str(due.address),
            reason=entry.reason,
            message=entry.message,
            attempts=entry.attempts,
        )

    def crank_set_aside(self, crank: CrankName, entries: Mapping[Pubkey, SetAside]) -> None:
        """Records the tasks of a crank that are due and set aside."""
        self.summary.cranks_failed[crank] = dict(entries)

    def _landed(self, entry: JournalEntry) -> None:
        self._spend(entry.fee)
        for intent in entry.intents:
            self.summary.ended.append(EndingDone(intent.rental, intent.task, intent.tip, entry.signature))
            self.summary.earned_lamports += intent.tip
            self._metrics.ended.labels(intent.task).inc()
            self._metrics.earned.inc(intent.tip)

    def _spend(self, lamports: int) -> None:
        self.summary.spent_lamports += lamports
        self._metrics.spent.inc(lamports)
