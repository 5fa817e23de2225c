"""Clients of the feed by topic: an event is tested against no client that does not follow it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from indexer.api.feed.subscriber import Subscriber


class TopicFollowers:
    """Clients that have got everything up to now."""

    def __init__(self) -> None:
        self._all: set[Subscriber] = set()
        self._by_topic: dict[str, set[Subscriber]] = {}

    def __iter__(self) -> Iterator[Subscriber]:
        """All of them."""
        return iter(self._all)

    @property
    def topics(self) -> Set[str]:
        """Topics that anybody follows."""
        return self._by_topic.keys()

    def of(self, topics: Iterable[str]) -> set[Subscriber]:
        """Those who follow any of these topics."""
        return {each for topic in topics for each in self._by_topic.get(topic, ())}

    def add(self, subscriber: Subscriber) -> None:
        """Sends it new events from now on."""
        self._all.add(subscriber)
        for topic in subscriber.topics:
            self._by_topic.setdefault(topic, set()).add(subscriber)

    def discard(self, subscriber: Subscriber) -> None:
        """It has left, if it was there."""
        self._all.discard(subscriber)
        for topic in subscriber.topics:
            followers = self._by_topic.get(topic, set())
            followers.discard(subscriber)
            if not followers:
                self._by_topic.pop(topic, None)

    def change(self, subscriber: Subscriber, topics: frozenset[str]) -> None:
        """Has a client follow other topics, now or once it is added."""
        is_added = subscriber in self._all
        self.discard(subscriber)
        subscriber.topics = topics
        if is_added:
            self.add(subscriber)
