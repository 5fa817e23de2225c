"""Endings that failed, and when they may be tried again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from solders.pubkey import Pubkey

MAX_DOUBLINGS = 32


@dataclass(frozen=True, slots=True)
class SetAside:
    """A rental that could not be ended: `reason` is the refusal's name, `retry_at` the cluster's unix seconds."""

    reason: str
    message: str
    attempts: int
    retry_at: float


class Backoff:
    """Sets rentals aside, each time for twice as long. Seconds of the cluster's clock."""

    def __init__(self, first_seconds: float, most_seconds: float) -> None:
        self._first = first_seconds
        self._most = most_seconds
        self._entries: dict[Pubkey, SetAside] = {}

    def set_aside(
        self, rental: Pubkey, reason: str, message: str, now: float, most_seconds: float | None = None
    ) -> SetAside:
        """Notes a failure; `most_seconds` is a shorter longest wait for this one."""
        known = self._entries.get(rental)
        attempts = known.attempts if known is not None else 0
        wait = min(
            self._first * 2 ** min(attempts, MAX_DOUBLINGS), self._most if most_seconds is None else most_seconds
        )
        entry = SetAside(reason, message, attempts + 1, now + wait)
        self._entries[rental] = entry
        return entry

    def holds(self, rental: Pubkey, now: float) -> bool:
        """Whether a rental must still wait."""
        entry = self._entries.get(rental)
        return entry is not None and entry.retry_at > now

    def retain(self, rentals: Collection[Pubkey]) -> None:
        """Forgets every rental but these, which are still due."""
        self._entries = {rental: entry for rental, entry in self._entries.items() if rental in rentals}

    def entries(self) -> dict[Pubkey, SetAside]:
        """What is set aside, waiting or up for another try."""
        return dict(self._entries)

    def next_retry_at(self, now: float) -> float | None:
        """When the next one may be tried again; None if none waits."""
        return min((entry.retry_at for entry in self._entries.values() if entry.retry_at > now), default=None)
