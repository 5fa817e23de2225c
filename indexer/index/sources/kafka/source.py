"""The released transactions of a topic, as a source for the loop that follows the chain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from anchor_client.service.pacing import holds_within, wait_or_timeout
from indexer.errors import MarksMissing, OtherCluster
from indexer.index.sources.kafka.merge import Merger
from indexer.index.sources.kafka.messages import Mark, Message
from indexer.index.sources.source import Frontier, Heard
from indexer.index.transaction import Transaction
from indexer.store.fence import Fence

MOST_HELD: Final = 50_000
"""Released messages; the topic is not read on while more of them are not in the database."""
MARK_SECONDS: Final = 5.0
"""Longest that a comparison with vaults waits for the mark of its slot."""
NOWHERE: Final = (-1, -1)


class KafkaSource:
    """Gives what a merger releases, and moves a fence to where the topic has to be read from after a restart."""

    def __init__(self, merger: Merger, fence: Fence, *, heard: Heard = lambda slot: None) -> None:
        self._merger = merger
        self._fence = fence
        self._heard = heard
        self._changed = asyncio.Event()
        self._waiting = 0
        self._genesis: str | None = None

    def hear(self, offset: int, message: Message) -> None:
        """Takes the message at an offset. Raises OtherCluster."""
        if isinstance(message, Mark):
            self._genesis = self._genesis or message.genesis
            if message.genesis != self._genesis:
                raise OtherCluster(message.genesis, self._genesis)
            self._heard(message.last)
        if self._merger.add(offset, message):
            self._waiting += 1
            self._changed.set()

    @property
    def is_full(self) -> bool:
        """True while enough is held for the database to write."""
        return self._merger.held >= MOST_HELD

    def due(self) -> int | None:
        """Offset from which the topic has to be read again now; None if what comes next is what is needed."""
        return self._merger.due()

    @property
    def is_live(self) -> bool:
        """The topic is read all the time."""
        return True

    @property
    def may_repair(self) -> bool:
        """False where several sources have to agree: one node is not believed then."""
        return self._merger.agree == 1

    @property
    def waiting(self) -> int:
        """Marks that released transactions since the last wait."""
        return self._waiting

    async def run(self) -> None:
        """Whoever has the partition hears of it."""

    async def wait(self, seconds: float) -> bool:
        """Waits up to `seconds` for released transactions; True if there were some."""
        has_changed = await wait_or_timeout(self._changed, seconds)
        self._waiting = 0
        return has_changed

    def wake(self) -> None:
        """Ends the wait."""
        self._changed.set()

    def reach(self, head_slot: int) -> int:
        """The last released slot. Raises what keeps the next one once nothing else is left to do."""
        merger = self._merger
        if merger.is_settled and merger.problem is not None:
            raise merger.problem
        if merger.next_slot == 0:
            raise MarksMissing(0)
        return merger.next_slot - 1

    async def reaches(self, slot: int) -> bool:
        """Waits a little for the marks of a slot; not while there is much to write."""

        async def reached() -> bool:
            return self._merger.next_slot > slot or self.is_full

        await holds_within(MARK_SECONDS, reached, every=0.05)
        return self._merger.next_slot > slot

    async def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Yields the released transactions up to `until_slot`."""
        first = NOWHERE if frontier is None else (frontier.slot, frontier.index)
        found = self._merger.between(first, until_slot)
        if found:
            yield found

    def completed(self, slot: int) -> None:
        """Lets go of what is in the database; the next transaction there notes it."""
        self._merger.settle(slot)
        self._fence.move(*self._merger.settled)
