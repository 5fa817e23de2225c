"""Follows a stream of blocks. What it has not given, because it was lost for too long or has just begun, RPC gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import structlog

from anchor_client.service.pacing import Attempts, wait_or_timeout
from indexer.errors import StreamLost
from indexer.index.sources.grpc.coverage import Coverage
from indexer.index.sources.grpc.stream import BlockStream
from indexer.index.sources.history import History
from indexer.index.sources.source import Frontier, Heard
from indexer.index.transaction import Transaction
from indexer.metrics import SOURCE_FAILURES, STREAM_SLOT, STREAMED

MOST_BEHIND: Final = 150
"""Slots, about a minute, that a stream may be behind the nodes before these are read instead."""

log = structlog.get_logger(__name__)


class GrpcSource:
    """Gives what the stream gave, and `history` where it has holes. `heard` gets each slot."""

    def __init__(self, stream: BlockStream, history: History, *, heard: Heard = lambda slot: None) -> None:
        self._stream = stream
        self._history = history
        self._heard = heard
        self._coverage = Coverage()
        self._complete = 0
        self._asked = 0
        """The last slot that nodes were asked for."""
        self._changed = asyncio.Event()
        self._waiting = 0
        self._is_live = False
        self._may_replay = True
        self._attempts = Attempts(self._lost)

    @property
    def is_live(self) -> bool:
        """True while blocks come."""
        return self._is_live

    @property
    def may_repair(self) -> bool:
        """A node is all that is believed anyway."""
        return True

    @property
    def waiting(self) -> int:
        """Blocks with transactions since the last wait."""
        return self._waiting

    async def run(self) -> None:
        """Keeps subscribed until cancelled; each time from where the last stream was lost."""
        try:
            await self._attempts.until_done(self._follow)
        finally:
            STREAM_SLOT.set(0)

    async def wait(self, seconds: float) -> bool:
        """Waits up to `seconds` for transactions; True if there were some."""
        has_changed = await wait_or_timeout(self._changed, seconds)
        self._waiting = 0
        return has_changed

    def wake(self) -> None:
        """Ends the wait."""
        self._changed.set()

    def reach(self, head_slot: int) -> int:
        """As far as the stream goes; where it is lost or far behind the nodes, their head."""
        last = self._coverage.last
        if not self._is_live or last is None or last < head_slot - MOST_BEHIND:
            return head_slot
        return max(last, self._complete)

    async def reaches(self, slot: int) -> bool:
        """Nodes have it."""
        return True

    async def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Transactions of the slots that are not complete: the stream's, and RPC's before and after them."""
        if frontier is None:
            since = self._complete + 1
        else:
            since = max(self._complete + 1, frontier.slot)
        first = self._coverage.first
        last = self._coverage.last
        if first is None or last is None or first > until_slot or last < since:
            if since <= until_slot:
                async for part in self._ask(frontier, until_slot):
                    yield part
            return
        streamed = self._coverage.between(since, until_slot)
        if first > since:
            async for part in self._history.read(frontier, first - 1):
                yield part
                frontier = _frontier_at(part[-1])
        if streamed:
            yield streamed
            STREAMED.inc(len(streamed))
            frontier = _frontier_at(streamed[-1])
        if last < until_slot:
            async for part in self._ask(frontier, until_slot):
                yield part

    def completed(self, slot: int) -> None:
        """Lets go of what is indexed. A node's head may still have grown after it was asked: its block counts."""
        complete = slot - 1 if slot == self._asked else slot
        self._complete = max(self._complete, complete)
        self._coverage.forget(complete)

    def _ask(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        self._asked = until_slot
        return self._history.read(frontier, until_slot)

    async def _follow(self) -> None:
        last = self._coverage.last
        since = None
        if last is not None and self._may_replay:
            since = max(last, self._complete) + 1
        async for block in self._stream.blocks(since):
            news = self._coverage.add(block) or not self._is_live
            self._attempts.succeeded()
            self._is_live = self._may_replay = True
            self._heard(block.slot)
            STREAM_SLOT.set(block.slot)
            if news:
                self._waiting += 1
                self._changed.set()
            await self._coverage.room()

    def _lost(self, error: Exception, seconds: float) -> None:
        if not self._is_live and isinstance(error, StreamLost) and error.refused:
            self._may_replay = False
        self._is_live = False
        STREAM_SLOT.set(0)
        SOURCE_FAILURES.labels("stream").inc()
        log.warning("the stream is lost", server=str(self._stream), error=str(error) or repr(error), retry_in=seconds)


def _frontier_at(transaction: Transaction) -> Frontier:
    return Frontier(transaction.slot, transaction.index, transaction.signature)
