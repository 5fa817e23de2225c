"""Transaction -> events: the program's calls of itself that carry the event tag, and nothing else.

Anyone can write bytes that look like an event: into a memo, into another program's instruction, into a top-level
instruction. An event counts only when the program it calls and the program that calls are both ours, since the
program lets nobody but its own event authority in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anchor_client.generated.events import EVENT_TAG
from indexer.index.transaction import InnerInstruction, Transaction
from indexer.store.events import Decoded, Origin, UnreadableEvent, read

OUTER_HEIGHT = 1


def decode(transaction: Transaction, program: str) -> list[Decoded | UnreadableEvent]:
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
            )
            yield origin, call.data[len(EVENT_TAG) :]


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
