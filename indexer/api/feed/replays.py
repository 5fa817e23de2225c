"""Missed events: read by a separate thread, for one connection of a client at a time, in pages for all."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection

from anchor_client.generated.events import EVENTS
from anchor_idl.runtime.discriminators import entry_for
from indexer.api.feed.log import FeedEntry, entries_between
from indexer.api.feed.messages import TopicMessage
from indexer.api.feed.topics import AREAS
from indexer.store.transactions import Replays

PAGE: Final = 500
MOST_BYTES = 32 * 1024 * 1024
"""Of the pages that are kept, for others who have missed the same."""
OVERHEAD: Final = 300
"""Bytes of an entry and its message beside their texts."""
EVENTS_PER_REQUEST: Final = 100
"""Missed events that count as one request."""
ALL_AREAS: Final = frozenset(AREAS.values())

Tell = Callable[[Connection, str, Sequence[FeedEntry]], list[TopicMessage]]


@dataclass(slots=True)
class ReplayPage:
    """Consecutive entries, and the messages of requested ones."""

    entries: Sequence[FeedEntry]
    messages: dict[int, TopicMessage | None] = field(default_factory=dict)

    @property
    def weight(self) -> int:
        """Bytes that it counts for."""
        texts = sum(len(each.text) for each in self.messages.values() if each is not None)
        return texts + sum(len(entry.data) + OVERHEAD for entry in self.entries)


class PageStore:
    """Pages of entries that will not change, the ones used last at the end."""

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, int], ReplayPage] = OrderedDict()
        self._weights: dict[tuple[str, int], int] = {}
        self.weight = 0

    def find(self, key: tuple[str, int]) -> ReplayPage | None:
        """A page by its index and its number."""
        return self._pages.get(key)

    def keep(self, key: tuple[str, int], page: ReplayPage) -> None:
        """Weighs it again; the ones used longest ago make room."""
        self.weight += page.weight - self._weights.get(key, 0)
        self._weights[key] = page.weight
        self._pages[key] = page
        self._pages.move_to_end(key)
        while self.weight > MOST_BYTES:
            oldest, _ = self._pages.popitem(last=False)
            self.weight -= self._weights.pop(oldest)


class ReplayReader:
    """Reads what clients have missed."""

    def __init__(self, reads: Replays, tell: Tell) -> None:
        self._reads = reads
        self._tell = tell
        self._store = PageStore()
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Waits until no other connection of a client gets missed events."""
        lock, waiting = self._turns.get(client, (asyncio.Lock(), 0))
        self._turns[client] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._turns.pop(client)
            if waiting > 1:
                self._turns[client] = lock, waiting - 1

    async def after(
        self, index: str, number: int, until: int, topics: Set[str], final_slot: int | None
    ) -> tuple[list[TopicMessage], int]:
        """The next messages of these topics up to a number of the index, and the number up to which they are."""
        return await self._reads(self._after, index, number, until, topics, final_slot)

    def _after(
        self, connection: Connection, index: str, number: int, until: int, topics: Set[str], final_slot: int | None
    ) -> tuple[list[TopicMessage], int]:
        place = number // PAGE
        key = index, place
        page = self._store.find(key)
        if page is None:
            page = ReplayPage(entries_between(connection, place * PAGE, (place + 1) * PAGE))
        wanted = _areas_of(topics)
        missing = [
            entry for entry in page.entries if entry.number not in page.messages and _may_concern(entry.data, wanted)
        ]
        told = {message.number: message for message in self._tell(connection, index, missing)}
        page.messages |= {entry.number: told.get(entry.number) for entry in missing}
        end = min((place + 1) * PAGE, until)
        if (place + 1) * PAGE <= until and _is_final(page.entries, final_slot):
            self._store.keep(key, page)
        found = [
            message
            for entry in page.entries
            if number < entry.number <= end and (message := page.messages.get(entry.number)) is not None
        ]
        return [message for message in found if message.topics & topics], end


def cost_of(missed: int) -> int:
    """Number of requests that a replay counts as, by its events."""
    return -(-missed // EVENTS_PER_REQUEST)


def _areas_of(topics: Set[str]) -> frozenset[str] | None:
    """The areas with all events of these topics; None if that depends on the events' content."""
    return frozenset(topics) if topics <= ALL_AREAS else None


def _may_concern(data: bytes, areas: frozenset[str] | None) -> bool:
    """True if an event may be of these areas, by its first bytes."""
    if areas is None:
        return True
    kind = entry_for(EVENTS, data)
    return kind is not None and AREAS[kind] in areas


def _is_final(entries: Sequence[FeedEntry], final_slot: int | None) -> bool:
    return final_slot is None or all(entry.slot <= final_slot for entry in entries)
