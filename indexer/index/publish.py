"""Writes a program's transactions to its topic, with marks of the slots that they complete."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog
from prometheus_client import REGISTRY

from anchor_client.service.monitoring import serve_metrics
from anchor_client.service.pacing import Attempts
from anchor_client.service.supervision import Supervisor, Turns
from anchor_client.solana.json_rpc import JsonRpc
from indexer.errors import OtherCluster
from indexer.index.failures import report_failure
from indexer.index.follow import FINAL, LOOKS
from indexer.index.sources.choice import source_of
from indexer.index.sources.head import read_genesis, read_head
from indexer.index.sources.history import History
from indexer.index.sources.kafka.messages import MOST_INDEX, Mark, SentTransaction, encode
from indexer.index.sources.kafka.settings import topic_of
from indexer.index.sources.node import node_of
from indexer.index.sources.source import Frontier
from indexer.index.transaction import Transaction
from indexer.metrics import INDEX, INDEX_NODES, PUBLISHED, PUBLISHED_SLOT
from indexer.settings import IndexerSettings
from indexer.store.threads import in_thread

if TYPE_CHECKING:
    from indexer.index.sources.kafka.topic import Writer

MARK_EVERY: Final = 2_000
"""Transactions between two marks in a long history: a restart sends no more than that again."""

log = structlog.get_logger(__name__)


async def publish(
    settings: IndexerSettings,
    *,
    first: int = 0,
    last: int | None = None,
    ready: Callable[[], object] = lambda: None,
    supervisor: Supervisor | None = None,
) -> None:
    """Goes on behind its last mark, or from slot `first`, until cancelled; with `last`, sends that range and ends.

    Raises KafkaMissing, GrpcMissing or MetricsUnserved.
    """
    supervisor = supervisor or Supervisor()
    turns = supervisor.loop()
    async with node_of(settings, turns.progressed) as rpc:
        publisher = Publisher(settings, rpc, first, last, turns=turns)
        nodes = INDEX_NODES.watching("index", rpc.endpoints)
        with nodes, serve_metrics([INDEX, REGISTRY], settings.metrics_host, settings.metrics_port):
            supervisor.ready()
            ready()
            await publisher.run()


class _Place(NamedTuple):
    """A transaction's place in the chain and in the topic."""

    slot: int
    signature: str
    offset: int


class Publisher:
    """One source of a topic, known by its name there. It keeps no state: the topic says where it continues."""

    def __init__(
        self, settings: IndexerSettings, rpc: JsonRpc, first: int, last: int | None, *, turns: Turns | None = None
    ) -> None:
        self._settings = settings
        self._rpc = rpc
        self._turns = turns or Turns()
        self.name = settings.kafka_name or socket.gethostname()
        self._topic = topic_of(settings)
        history = History(rpc, settings.program_id, commitment=FINAL, concurrency=settings.concurrency)
        self._source = source_of(settings, history, heard=lambda slot: None)
        self._writer: Writer | None = None
        self._genesis = ""
        self._next = first
        """First slot that no mark of this source covers."""
        self._last = last
        self._resume = Frontier(first - 1, MOST_INDEX - 1, "") if first > 0 else None
        self._sent: list[_Place] = []
        """Transactions sent since the last mark."""

    async def run(self) -> None:
        """Runs until cancelled, or to the end of its range; what fails is logged, counted and tried again."""
        listening = asyncio.create_task(self._source.run(), name="publisher-source")
        attempts = Attempts(self._failed, LOOKS)
        try:
            await attempts.until_done(self._begin)
            while not self._is_done:
                await attempts.until_done(self._look)
                if not self._is_done:
                    await self._source.wait(self._settings.poll_interval)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _begin(self) -> None:
        """Makes the topic, and finds where to continue."""
        from indexer.index.sources.kafka import topic  # noqa: PLC0415 - an optional dependency

        await in_thread(topic.make, self._topic)
        self._genesis = await read_genesis(self._rpc)
        known = None
        if self._last is None:
            known = await in_thread(topic.last_mark, self._topic, self.name)
        if known is not None and known.genesis != self._genesis:
            raise OtherCluster(self._genesis, known.genesis)
        if known is not None:
            self._next = known.last + 1
            self._resume = known.resume
        log.info("writing to the topic", source=self.name, slot=self._next)

    @property
    def _is_done(self) -> bool:
        return self._last is not None and self._next > self._last

    async def _look(self) -> None:
        """Sends what the chain has grown by, and marks it."""
        with self._turns:
            head = await read_head(self._rpc, FINAL)
            until = self._source.reach(head.slot)
            if self._last is not None:
                until = min(until, self._last)
            if until < self._next:
                return
            self._sent.clear()
            async for transactions in self._source.read(self._resume, until):
                await self._send(transactions)
                newest = transactions[-1].slot
                if len(self._sent) >= MARK_EVERY and newest > self._next:
                    await self._mark(newest - 1)
            await self._mark(until)
            self._source.completed(until)

    async def _send(self, transactions: Sequence[Transaction]) -> None:
        values = [(each.signature, encode(SentTransaction(self.name, each))) for each in transactions]
        offsets = await in_thread(self._write, values)
        self._sent += [_Place(each.slot, each.signature, at) for each, at in zip(transactions, offsets, strict=True)]
        PUBLISHED.inc(len(transactions))
        self._turns.progressed()

    async def _mark(self, last: int) -> None:
        """Says that all up to a slot is sent."""
        covered = [sent for sent in self._sent if sent.slot <= last]
        known = self._resume.signature if self._resume else ""
        resume = Frontier(last, MOST_INDEX - 1, covered[-1].signature if covered else known)
        begins = covered[0].offset if covered else None
        mark = Mark(self.name, self._genesis, self._next, last, begins, resume if self._last is None else None)
        await in_thread(self._write, [(self.name, encode(mark))])
        self._sent = self._sent[len(covered) :]
        self._next = last + 1
        self._resume = resume
        PUBLISHED_SLOT.set(last)
        self._turns.progressed()

    def _write(self, values: Sequence[tuple[str, bytes]]) -> list[int]:
        from indexer.index.sources.kafka.topic import Writer  # noqa: PLC0415 - as above

        writer = self._writer or Writer(self._topic)
        # After a failure a new one: what the old one still sends is sent again, before the next mark.
        self._writer = None
        offsets = writer.send(values)
        self._writer = writer
        return offsets

    def _failed(self, error: Exception, seconds: float) -> None:
        report_failure("writing the topic failed", error, seconds)
