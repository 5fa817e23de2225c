"""Keeps the books of a keeper: its summary and its metrics tell the same story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from solders.pubkey import Pubkey
from solders.signature import Signature

from keeper.backoff import SetAside
from keeper.chores.chore import Errand
from keeper.endings import SkipReason
from keeper.journal import Entry
from keeper.metrics import KeeperMetrics
from keeper.packing import Batch
from keeper.sender import Fate, Outcome
from keeper.settings import ChoreName
from keeper.summary import ChoreDone, Ended, Summary
from keeper.tasks import Due
from keeper.tasks.request_due import RequestDue

log = structlog.get_logger(__name__)

LOST: Final = (Fate.FAILED, Fate.REFUSED)


class Record:
    """Counts what happens, once."""

    def __init__(self, metrics: KeeperMetrics) -> None:
        self.summary = Summary()
        self._metrics = metrics

    def looked(self, now: int, due: Sequence[Due | RequestDue]) -> None:
        """The chain was read."""
        self._metrics.due.set(len(due))
        self._metrics.oldest_overdue.set(max((now - entry.due_at for entry in due), default=0))

    def skipped(self, reasons: Mapping[Pubkey, SkipReason]) -> None:
        """These rentals are left alone now; one that was before, for the same reason, is not counted again."""
        for rental, reason in reasons.items():
            if self.summary.skipped.get(rental) is not reason:
                self._metrics.skipped.labels(reason).inc()
                log.info("ending_skipped", rental=str(rental), reason=str(reason))
        self.summary.skipped = dict(reasons)

    def failed(self, reason: str) -> None:
        """An ending failed in simulation."""
        self._metrics.failed.labels(reason).inc()

    def set_aside(self, entries: Mapping[Pubkey, SetAside]) -> None:
        """These rentals are due and set aside."""
        self.summary.failed = dict(entries)

    def signed(self, batch: Batch) -> None:
        """A batch is about to be sent."""
        self._metrics.batch_size.observe(len(batch.endings))

    def in_flight(self, count: int) -> None:
        """So many transactions are in flight."""
        self._metrics.in_flight.set(count)

    def finished(self, due: int, in_flight: int) -> None:
        """The last look found so many rentals due, and so many are in flight still."""
        known = len(self.summary.skipped) + len(self.summary.failed)
        self.summary.unresolved = max(due - known, in_flight)

    def cut_short(self, error: Exception) -> None:
        """A pass ended early."""
        self._metrics.pass_failures.labels(type(error).__name__).inc()

    def settled(self, outcome: Outcome) -> None:
        """A transaction's fate is known, or cannot be learned now."""
        entry, fate = outcome.entry, outcome.fate
        self._metrics.transactions.labels(fate).inc()
        self.summary.transactions += 1
        log.info(
            "transaction_settled",
            signature=str(entry.signature),
            fate=str(fate),
            rentals=[str(intent.rental) for intent in entry.intents],
            error=None if outcome.error is None else str(outcome.error),
        )
        if fate is Fate.LANDED:
            self._landed(entry)
        elif fate is Fate.FAILED:
            self._spend(entry.fee)
        if fate in LOST:
            self.summary.lost_races += len(entry.intents)
            self._metrics.lost_races.inc(len(entry.intents))

    def chore_sent(self, fee: int) -> None:
        """A transaction of a chore has landed, for so many lamports."""
        self._metrics.transactions.labels(Fate.LANDED).inc()
        self.summary.transactions += 1
        self._spend(fee)

    def chore_done(self, chore: ChoreName, errand: Errand, signature: Signature) -> None:
        """An errand is done; the signature is of its last transaction."""
        self._metrics.chores_done.labels(chore, errand.task).inc()
        self.summary.chores.append(ChoreDone(chore, errand.task, errand.subject, signature))
        log.info("chore_done", chore=str(chore), task=errand.task, address=str(errand.subject))

    def chore_failed(self, chore: ChoreName, errand: Errand, entry: SetAside) -> None:
        """An errand has failed."""
        self._metrics.chores_failed.labels(chore, entry.reason).inc()
        log.warning(
            "chore_failed",
            chore=str(chore),
            task=errand.task,
            address=str(errand.subject),
            reason=entry.reason,
            message=entry.message,
            attempts=entry.attempts,
        )

    def chore_set_aside(self, chore: ChoreName, entries: Mapping[Pubkey, SetAside]) -> None:
        """What is due of a chore and set aside."""
        self.summary.chores_failed[chore] = dict(entries)

    def _landed(self, entry: Entry) -> None:
        self._spend(entry.fee + entry.rent)
        for intent in entry.intents:
            self.summary.ended.append(Ended(intent.rental, intent.task, intent.tip, entry.signature))
            self.summary.earned_lamports += intent.tip
            self._metrics.ended.labels(intent.task).inc()
            self._metrics.earned.inc(intent.tip)

    def _spend(self, lamports: int) -> None:
        self.summary.spent_lamports += lamports
        self._metrics.spent.inc(lamports)
