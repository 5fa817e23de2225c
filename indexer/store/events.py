"""Events with their place in the chain, read from the bytes that the program emitted."""

from __future__ import annotations

from typing import NamedTuple

from anchor_client.generated.events import decode_event
from anchor_idl.runtime.errors import UndecodableEvent, UnknownEvent
from anchor_idl.runtime.structs import Event
from indexer.store.older_events import decode_older


class Origin(NamedTuple):
    """Place in the chain where an event was emitted."""

    signature: str
    instruction_index: int
    inner_index: int
    slot: int
    transaction_index: int

    @property
    def key(self) -> tuple[str, int, int]:
        """Unique key."""
        return self.signature, self.instruction_index, self.inner_index


class Decoded(NamedTuple):
    """An event, with the bytes behind its tag."""

    origin: Origin
    event: Event
    data: bytes


class UnreadableEvent(NamedTuple):
    """Bytes that our program emitted as an event and that cannot be read as one."""

    origin: Origin
    data: bytes
    error: Exception


def time_of(event: Event) -> int:
    """Unix seconds of the program's clock, which every event of the market's says."""
    at: int = event.field_values()["at"]
    return at


def read(origin: Origin, data: bytes) -> Decoded | UnreadableEvent:
    """The event in the bytes behind a tag, also in a layout that it once had."""
    try:
        return Decoded(origin, decode_event(data), data)
    except (UnknownEvent, UndecodableEvent) as error:
        older = decode_older(data)
        if older is None:
            return UnreadableEvent(origin, data, error)
        return Decoded(origin, older, data)
