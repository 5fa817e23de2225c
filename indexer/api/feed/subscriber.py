"""A follower of the feed and its queue."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

MOST_TOPICS = 200
MOST_QUEUED_BYTES = 1024 * 1024


class Subscriber:
    """Messages wait here until the client takes them; one that takes too few is dropped."""

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self.at = 0
        """Number of the last entry that it got."""
        self.is_slow = asyncio.Event()
        self._queue: deque[bytes] = deque()
        self._bytes = 0
        self._filled = asyncio.Event()
        self._is_ended = False

    def offer(self, text: bytes) -> None:
        """Queues a message."""
        self._bytes += len(text)
        if self._bytes > MOST_QUEUED_BYTES:
            self.is_slow.set()
            self.end()
            return
        self._queue.append(text)
        self._filled.set()

    def end(self) -> None:
        """Nothing more will come."""
        self._is_ended = True
        self._filled.set()

    async def take(self) -> bytes | None:
        """The next message; None at the end."""
        while not self._queue and not self._is_ended:
            self._filled.clear()
            await self._filled.wait()
        if not self._queue or self.is_slow.is_set():
            return None
        text = self._queue.popleft()
        self._bytes -= len(text)
        return text
