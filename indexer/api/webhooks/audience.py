"""Endpoints that receive a notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self, TypeVar

from sqlalchemy import Connection

from indexer.accounts.models import Webhook
from indexer.api.feed.relations import Relations
from indexer.api.feed.topics import NARROW, PROPOSAL
from indexer.api.webhooks.kinds import Happening, Kind
from indexer.api.webhooks.searching import FollowedSearch

Key = TypeVar("Key")

GOVERNANCE = "governance"
"""The topic of every proposal."""


@dataclass(frozen=True, slots=True)
class NoticeEndpoint:
    """Topics and kinds that an endpoint gets: events above `number` of its index, and in an index whose numbers
    are others than they were (`anew`) those after slot `since`."""

    id: str
    types: frozenset[str]
    topics: tuple[str, ...]
    low_funds: tuple[str, ...]
    number: int
    since: int
    anew: bool
    is_behind: bool
    searches: tuple[FollowedSearch, ...] = ()
    """Its wallet's, if it takes notices of them."""

    @classmethod
    def of(cls, webhook: Webhook, searches: tuple[FollowedSearch, ...] = ()) -> Self:
        """The endpoint of a row, and its wallet's searches."""
        return cls(
            id=webhook.id,
            types=frozenset(webhook.types.split()),
            topics=tuple(webhook.topics.split()),
            low_funds=tuple(webhook.low_funds.split()),
            number=webhook.number,
            since=webhook.since,
            anew=webhook.anew,
            is_behind=webhook.is_behind,
            searches=searches if Kind.SEARCH_FITS in webhook.types.split() else (),
        )

    def is_told(self, number: int, slot: int) -> bool:
        """True for an event that is not older than the endpoint."""
        return number > self.number and (not self.anew or slot > self.since)


class Audience:
    """Endpoints by topic: finding those of an event takes as long as there are, however many others there are."""

    def __init__(self, relations: Relations, endpoints: Iterable[NoticeEndpoint] = ()) -> None:
        self._relations = relations
        self._all: dict[str, NoticeEndpoint] = {}
        self._by_topic: dict[str, dict[str, NoticeEndpoint]] = {}
        self._by_search: dict[FollowedSearch, dict[str, NoticeEndpoint]] = {}
        self._types: Counter[str] = Counter()
        self._lowest: int | None = None
        """Of their numbers; None where it must be found again."""
        for endpoint in endpoints:
            self.put(endpoint)

    def __len__(self) -> int:
        """Number of endpoints."""
        return len(self._all)

    def lowest(self, most: int) -> int:
        """Number up to which there is nothing for any of them, at most `most`."""
        if not self._all:
            return most
        if self._lowest is None:
            self._lowest = min(endpoint.number for endpoint in self._all.values())
        return min(most, self._lowest)

    def put(self, endpoint: NoticeEndpoint) -> None:
        """Has an endpoint told from now on, as it is now."""
        self.drop(endpoint.id)
        self._all[endpoint.id] = endpoint
        if self._lowest is not None:
            self._lowest = min(self._lowest, endpoint.number)
        self._types.update(endpoint.types)
        for topic in endpoint.topics:
            self._by_topic.setdefault(topic, {})[endpoint.id] = endpoint
        for search in endpoint.searches:
            self._by_search.setdefault(search, {})[endpoint.id] = endpoint

    def drop(self, id: str) -> None:
        """Has it told no more, if it was."""
        endpoint = self._all.pop(id, None)
        if endpoint is None:
            return
        if endpoint.number == self._lowest:
            self._lowest = None
        self._types.subtract(endpoint.types)
        for topic in endpoint.topics:
            _leave(self._by_topic, topic, id)
        for search in endpoint.searches:
            _leave(self._by_search, search, id)

    @property
    def searches(self) -> Collection[FollowedSearch]:
        """Saved searches that any endpoint has notices for."""
        return self._by_search.keys()

    def searching(self, search: FollowedSearch) -> Collection[NoticeEndpoint]:
        """Endpoints that get notices of a saved search."""
        return self._by_search[search].values()

    def wants(self, *types: str) -> bool:
        """True where an endpoint takes notices of any of these types."""
        return any(self._types[each] > 0 for each in types)

    def addresses(self, most: int) -> set[str] | None:
        """Addresses that any endpoint follows; None if there may be more than `most`."""
        if len(self._by_topic) > most:
            return None
        return {address for topic in self._by_topic for _, colon, address in [topic.partition(":")] if colon}

    def of(self, connection: Connection, happening: Happening) -> list[NoticeEndpoint]:
        """Endpoints that get a notice, each once."""
        named = happening.audience or (happening.subject,)
        found = {happening.subject, *self._relations.of(connection, named)}
        topics = {f"{kind}:{address}" for kind, address in found if kind in NARROW}
        if happening.subject[0] == PROPOSAL:
            topics.add(GOVERNANCE)
        told: dict[str, NoticeEndpoint] = {}
        for topic in topics:
            told |= self._by_topic.get(topic, {})
        return [endpoint for endpoint in told.values() if happening.kind in endpoint.types]


def _leave(followed: dict[Key, dict[str, NoticeEndpoint]], key: Key, id: str) -> None:
    followers = followed[key]
    followers.pop(id, None)
    if not followers:
        del followed[key]
