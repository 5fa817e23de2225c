"""Messages to followers of the feed: JSON objects, distinguished by `type`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from anchor_idl.runtime.structs import Event
from indexer.api.feed.log import FeedEntry, Position
from indexer.api.feed.topics import ALL, AREAS, NARROW
from indexer.store.event_json import in_json
from indexer.store.events import time_of


@dataclass(frozen=True, slots=True)
class TopicMessage:
    """A message, and the topics it belongs to."""

    number: int
    topics: frozenset[str]
    text: bytes


def hello(at: Position, topics: Iterable[str], final_slot: int | None) -> bytes:
    """The first message: where the feed begins."""
    return _encoded({"type": "hello", "cursor": str(at), "topics": sorted(topics), "final_slot": final_slot})


def reset(at: Position, detail: str) -> bytes:
    """Says that events before this position are not sent: the client must read its state again."""
    return _encoded({"type": "reset", "cursor": str(at), "detail": detail})


def final(slot: int | None) -> bytes:
    """Everything sent up to this slot is final; null: all."""
    return _encoded({"type": "final", "slot": slot})


def error(name: str, detail: str) -> bytes:
    """Refuses a client's message, which changes nothing."""
    return _encoded({"type": "error", "error": name, "detail": detail})


def state(topic: str, at: Position, body: bytes) -> bytes:
    """GET's answer for a topic, at least as new as the cursor; a problem for an unknown address."""
    head = _encoded({"type": "state", "topic": topic, "cursor": str(at)})
    return head[:-1] + b',"data":' + body + b"}"


def told(
    index: str, entry: FeedEntry, event: Event, named: Iterable[tuple[str, str]], final_slot: int | None
) -> TopicMessage:
    """An event, or that one was withdrawn."""
    area = AREAS[type(event)]
    topics = frozenset({ALL, area, *(f"{kind}:{address}" for kind, address in named if kind in NARROW)})
    status = "pending"
    if final_slot is None or entry.slot <= final_slot:
        status = "final"
    message: dict[str, Any] = {"type": "event", "cursor": str(Position(index, entry.number))}
    if entry.withdrawn is not None:
        status = "withdrawn"
        message |= {"type": "withdrawn", "of": str(Position(index, entry.withdrawn))}
    message |= {
        "event": type(event).__name__,
        "area": area,
        "topics": sorted(topics - {ALL}),
        "status": status,
        "tx": entry.signature,
        "slot": entry.slot,
        "ts": time_of(event),
        "data": in_json(event),
    }
    return TopicMessage(entry.number, topics, _encoded(message))


def _encoded(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(message)
