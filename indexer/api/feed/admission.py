"""How many clients the feed takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from indexer.settings import Settings


class FeedFull(Exception):
    """There are too many clients, of one address or of all."""


class Admission:
    """Keeps count of the clients of this process."""

    def __init__(self, settings: Settings) -> None:
        self._most = settings.feed_clients
        self._most_of_one = settings.feed_clients_per_client
        self._counts: Counter[str] = Counter()

    def enter(self, client: str) -> AbstractContextManager[None]:
        """Counts a client until the context is left. Raises FeedFull."""
        if self._counts.total() >= self._most:
            raise FeedFull(f"{self._most:,} clients follow the feed")
        if self._counts[client] >= self._most_of_one:
            raise FeedFull(f"{self._most_of_one:,} clients of this address follow the feed")
        self._counts[client] += 1
        return self._until_left(client)

    @contextmanager
    def _until_left(self, client: str) -> Iterator[None]:
        try:
            yield
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]
