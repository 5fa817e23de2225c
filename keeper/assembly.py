"""Assembles a keeper from its settings."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from anchor_client.errors import GpuMarketError
from anchor_client.market.reads import MarketReader
from anchor_client.solana.rpc import Reader
from keeper.dispatch import BatchDispatch
from keeper.endings import Ending, EndingBuilder
from keeper.form import DailyPacker
from keeper.journal import Journal
from keeper.keeper import Keeper
from keeper.matcher import Matcher
from keeper.metrics import KeeperMetrics
from keeper.record import KeeperRecord
from keeper.set_aside import SetAsides
from keeper.settings import KeeperSettings
from keeper.share import WorkShare
from keeper.source import CandidateSource
from keeper.table.upkeep import TableUpkeep
from keeper.tasks.request import RequestSubject

log = structlog.get_logger(__name__)


def assemble(
    settings: KeeperSettings,
    reader: Reader,
    journal: Journal,
    source: CandidateSource,
    *,
    metrics: KeeperMetrics,
    on_settled: Callable[[], None] = lambda: None,
) -> Keeper:
    """A keeper; `on_settled` is called whenever a transaction's fate becomes known."""
    wallet = settings.wallet()
    share = WorkShare(settings.turn_seconds)
    waiting = SetAsides(settings.backoff_seconds, settings.max_backoff_seconds)
    record = KeeperRecord(metrics)
    matcher = Matcher(MarketReader.over(reader, price_feeds=settings.price_feeds))

    def set_aside(ending: Ending, error: GpuMarketError, now: int) -> None:
        due = ending.due
        reason = type(error).__name__
        if isinstance(due.subject, RequestSubject):
            matcher.refuse(due.subject, now)
        entry = waiting.set_aside(due.address, reason, error.message, now, due.subject.max_retry_seconds)
        record.failed(reason)
        log.warning(
            "ending_failed",
            rental=str(due.address),
            task=due.task.name,
            reason=reason,
            message=error.message,
            attempts=entry.attempts,
            retry_in=entry.retry_at - now,
        )

    table = TableUpkeep(reader, journal, wallet, settings.max_priority_fee)
    return Keeper(
        settings=settings,
        wallet=wallet,
        share=share,
        waiting=waiting,
        record=record,
        dispatch=BatchDispatch(settings, reader, journal, record, on_failed=set_aside, on_settled=on_settled),
        packing=DailyPacker(reader, wallet.pubkey, settings, table, share.order),
        journal=journal,
        source=source,
        builder=EndingBuilder(wallet.pubkey, reader.program_id, unpaid_loss=settings.unpaid_loss_lamports),
        matcher=matcher,
    )
