"""Limits on the number of clients of the feed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from anchor_client.service.shares import Shares
from indexer.metrics import FEED_ENTERED, FEED_LEFT, FEED_REFUSED
from indexer.settings import IndexerSettings


class FeedFull(Exception):
    """There are too many clients, of one address or wallet or of all."""


class Admission:
    """Keeps count of the clients of this process."""

    def __init__(self, settings: IndexerSettings) -> None:
        self._most = settings.feed_clients
        self._shares = Shares(self._most)
        self._counts: Counter[str] = Counter()

    def enter(self, client: str, most: int, holder: str = "") -> AbstractContextManager[None]:
        """Counts a client, an address or a wallet with at most `most` at a time, until the context is left. FeedFull.

        `holder` is whose share of all clients it takes.
        """
        if self._shares.is_full:
            FEED_REFUSED.labels("all").inc()
            raise FeedFull(f"{self._most:,} clients follow the feed")
        if self._counts[client] >= most:
            FEED_REFUSED.labels("client").inc()
            raise FeedFull(f"{most:,} of your clients follow the feed")
        if not self._shares.has_room(holder):
            FEED_REFUSED.labels("network").inc()
            raise FeedFull("Your network has its share of the feed's clients")
        self._counts[client] += 1
        self._shares.take(holder)
        FEED_ENTERED.inc()
        return self._until_left(client, holder)

    @contextmanager
    def _until_left(self, client: str, holder: str) -> Iterator[None]:
        try:
            yield
        finally:
            FEED_LEFT.inc()
            self._shares.give_back(holder)
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]
