"""The run of slots that a stream has given without a hole, and the transactions in it that are still to be indexed."""

from __future__ import annotations

import asyncio
from typing import Final

from indexer.index.sources.grpc.blocks import Block
from indexer.index.transaction import Transaction

MOST_HELD: Final = 10_000
"""Transactions; a stream waits while more of them are not indexed."""


class Coverage:
    """Slots `first` to `last`, both None before the first block.

    Each block says which one it follows. One that does not follow the last starts the run over, since between them
    something is missing; one that was given before changes nothing.
    """

    def __init__(self, most_held: int = MOST_HELD) -> None:
        self.first: int | None = None
        self.last: int | None = None
        self._most_held = most_held
        self._held: dict[int, tuple[Transaction, ...]] = {}
        self._count = 0
        self._room = asyncio.Event()
        self._room.set()

    def add(self, block: Block) -> bool:
        """Takes a block; whether it brought transactions, or leaves some to be looked for."""
        if self.last is not None and block.slot <= self.last:
            return False
        has_hole = block.parent != self.last
        if has_hole:
            self.first = block.slot
            self._held.clear()
            self._count = 0
        self.last = block.slot
        if block.transactions:
            self._held[block.slot] = block.transactions
            self._count += len(block.transactions)
        self._measure()
        return has_hole or bool(block.transactions)

    def between(self, first: int, last: int) -> list[Transaction]:
        """Transactions held of some slots, in the chain's order."""
        return [each for slot, found in self._held.items() if first <= slot <= last for each in found]

    def forget(self, until: int) -> None:
        """Lets go of what is indexed."""
        for slot in [slot for slot in self._held if slot <= until]:
            self._count -= len(self._held.pop(slot))
        self._measure()

    async def room(self) -> None:
        """Waits until no more is held than may be."""
        await self._room.wait()

    def _measure(self) -> None:
        if self._count <= self._most_held:
            self._room.set()
        else:
            self._room.clear()
