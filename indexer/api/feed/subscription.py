"""Subscriptions and their changes, as clients of the WebSocket ask for them."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Self

import msgspec
from starlette.datastructures import QueryParams

from anchor_client.service.optional import optional
from indexer.api.feed.log import CURSOR_PATTERN, Position
from indexer.api.feed.subscriber import MOST_TOPICS
from indexer.api.feed.topics import is_topic

PARAMETERS = {"topic", "after"}


class NotUnderstood(ValueError):
    """The client's request is invalid."""


@dataclass(frozen=True, slots=True)
class FeedSubscription:
    """The topics, and the cursor to resume behind."""

    topics: frozenset[str]
    after: Position | None

    @classmethod
    def of(cls, query: QueryParams) -> Self:
        """Of a URL's parameters: `topic`, any number of times, and `after`. Raises NotUnderstood."""
        unknown = sorted(set(query) - PARAMETERS)
        if unknown:
            raise NotUnderstood(f"there is no parameter {unknown[0]}")
        after = query.get("after")
        if after is not None and re.fullmatch(CURSOR_PATTERN, after) is None:
            raise NotUnderstood(f"{after} is not a cursor")
        return cls(_checked(query.getlist("topic")), optional(Position.parse, after))


class TopicChange(msgspec.Struct, forbid_unknown_fields=True):
    """A change of the topics."""

    subscribe: list[str] = []
    unsubscribe: list[str] = []

    @classmethod
    def parse(cls, text: str) -> TopicChange:
        """Of a message. Raises NotUnderstood."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise NotUnderstood(str(error)) from error

    def applied_to(self, topics: Set[str]) -> frozenset[str]:
        """The topics then. Raises NotUnderstood."""
        return _checked([*(topics - set(self.unsubscribe)), *self.subscribe])


def _checked(topics: Sequence[str]) -> frozenset[str]:
    for topic in topics:
        if not is_topic(topic):
            raise NotUnderstood(f"{topic[:100]} is not a topic")
    chosen = frozenset(topics)
    if len(chosen) > MOST_TOPICS:
        raise NotUnderstood(f"more than {MOST_TOPICS} topics")
    return chosen
