"""Transaction -> events: the program's calls of itself that carry the event tag, and nothing else.

Anyone can write bytes that look like an event: into a memo, into another program's instruction, into a top-level
instruction. An event counts only when the program it calls and the program that calls are both ours, since the
program lets nobody but its own event authority in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anchor_client.generated.events import EVENT_TAG, decode_event
from anchor_idl.runtime.errors import UndecodableEvent, UnknownEvent
from anchor_idl.runtime.structs import Event
from indexer.older_events import decode_older
from indexer.transaction import InnerInstruction, Transaction

OUTER_HEIGHT = 1


class Origin(NamedTuple):
    """Place in the chain where an event was emitted."""

    signature: str
    instruction_index: int
    inner_index: int
    slot: int
    transaction_index: int
    block_time: int

    @property
    def key(self) -> tuple[str, int, int]:
        """Unique key."""
        return self.signature, self.instruction_index, self.inner_index


class Decoded(NamedTuple):
    """An event, with the bytes behind its tag."""

    origin: Origin
    event: Event
    data: bytes


class Undecodable(NamedTuple):
    """Bytes that our program emitted as an event and that cannot be read as one."""

    origin: Origin
    data: bytes
    error: Exception


def decode(transaction: Transaction, program: str) -> list[Decoded | Undecodable]:
    """The events of `program` in the order it emitted them; none for a failed transaction."""
    if transaction.failed:
        return []
    return [read(origin, data) for origin, data in emitted(transaction, program)]


def emitted(transaction: Transaction, program: str) -> Iterator[tuple[Origin, bytes]]:
    """Events of `program`: where each was emitted, and the bytes behind the event tag."""
    for instruction_index, calls in sorted(transaction.inner.items()):
        for inner_index, call in enumerate(calls):
            if call.program != program:
                continue
            if _caller(transaction.programs[instruction_index], calls, inner_index) != program:
                continue
            if call.data[: len(EVENT_TAG)] != EVENT_TAG:
                continue
            origin = Origin(
                transaction.signature,
                instruction_index,
                inner_index,
                transaction.slot,
                transaction.index,
                transaction.block_time,
            )
            yield origin, call.data[len(EVENT_TAG) :]


def read(origin: Origin, data: bytes) -> Decoded | Undecodable:
    """The event in the bytes behind a tag, also in a layout that it once had."""
    try:
        return Decoded(origin, decode_event(data), data)
    except (UnknownEvent, UndecodableEvent) as error:
        older = decode_older(data)
        return Undecodable(origin, data, error) if older is None else Decoded(origin, older, data)


def _caller(outer: str, calls: Sequence[InnerInstruction], index: int) -> str:
    """The program that made a call: the last one before it that is one lower in the stack.

    Nodes of before 2022 say no height; nothing of ours is that old, and the outer program is the best guess.
    """
    height = calls[index].stack_height
    if height is None or height == OUTER_HEIGHT + 1:
        return outer
    for call in reversed(calls[:index]):
        if call.stack_height == height - 1:
            return call.program
    return outer
