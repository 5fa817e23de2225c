"""Slots in which this client's own transactions have landed: what it reads afterwards is not older.

Nodes behind one URL lag one another. A node that is asked with `minContextSlot` refuses where it would answer from
before, and the next one, or the same a moment later, has it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

RANKS: Final = {"processed": 0, "confirmed": 1, "finalized": 2}
RECENT_SECONDS: Final = 30.0
"""After which every node that is well has the slot; a node that named one that never comes is believed no longer."""


class LandedSlots:
    """The newest slot of a landed transaction, by the commitment that it had reached."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._slots: dict[int, tuple[int, float]] = {}

    def add(self, slot: int, commitment: str) -> None:
        """Remembers that a transaction has reached a commitment."""
        rank = RANKS[commitment]
        newest, _ = self._slots.get(rank, (0, 0.0))
        self._slots[rank] = max(slot, newest), self._now() + RECENT_SECONDS

    def least(self, commitment: str) -> int | None:
        """The slot from which on to read at a commitment, which those at a higher one have reached as well."""
        now = self._now()
        rank = RANKS.get(commitment, 0)
        slots = [slot for at, (slot, until) in self._slots.items() if at >= rank and now < until]
        return max(slots, default=None)
