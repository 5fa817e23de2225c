"""The pace of slots: as the chain's clock shows it, and the usual one until it has."""

from __future__ import annotations

from typing import Final

USUAL_SLOT_SECONDS: Final = 0.4
"""Taken until the chain has shown another."""
FASTEST_SLOT_SECONDS: Final = 0.1
"""Shorter than any that is planned for Solana."""
APART: Final = 10
"""Minimum seconds, by the chain's clock, between two reads that show its pace."""
LATELY: Final = 120


class SlotPace:
    """Seconds that a slot takes, by the clock of the chain in its last minutes."""

    def __init__(self) -> None:
        self.seconds = USUAL_SLOT_SECONDS
        self._first: tuple[int, int] | None = None

    def saw(self, slot: int, unix_timestamp: int) -> None:
        """Takes a read of the chain's clock; starts over if it went back."""
        if self._first is None or slot <= self._first[0]:
            self._first = slot, unix_timestamp
            return
        passed = unix_timestamp - self._first[1]
        if passed >= APART:
            self.seconds = passed / (slot - self._first[0])
        if passed >= LATELY:
            self._first = slot, unix_timestamp
