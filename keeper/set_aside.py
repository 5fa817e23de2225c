"""Accounts whose task failed, and when it may be retried."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from solders.pubkey import Pubkey

from anchor_client.service.backoff import Backoff


@dataclass(frozen=True, slots=True)
class SetAside:
    """An account whose task failed: `reason` is the error's name, `retry_at` the cluster's unix seconds."""

    reason: str
    message: str
    attempts: int
    retry_at: float


class SetAsides:
    """Sets accounts aside with exponential back-off, in seconds of the cluster's clock."""

    def __init__(self, first_seconds: float, most_seconds: float) -> None:
        self._waits = Backoff(first_seconds, most_seconds)
        self._entries: dict[Pubkey, SetAside] = {}

    def set_aside(
        self, address: Pubkey, reason: str, message: str, now: float, most_seconds: float | None = None
    ) -> SetAside:
        """Records a failure; `most_seconds` caps this account's wait instead of the usual maximum."""
        known = self._entries.get(address)
        attempts = 1 if known is None else known.attempts + 1
        if most_seconds is None:
            waits = self._waits
        else:
            waits = replace(self._waits, most=most_seconds)
        entry = SetAside(reason, message, attempts, now + waits.wait(attempts))
        self._entries[address] = entry
        return entry

    def holds(self, address: Pubkey, now: float) -> bool:
        """True while an account must still wait."""
        entry = self._entries.get(address)
        return entry is not None and entry.retry_at > now

    def retain(self, addresses: Collection[Pubkey]) -> None:
        """Forgets all accounts but these, which are still due."""
        self._entries = {address: entry for address, entry in self._entries.items() if address in addresses}

    def entries(self) -> dict[Pubkey, SetAside]:
        """Accounts that are set aside, whether waiting or due for a retry."""
        return dict(self._entries)

    def next_retry_at(self, now: float) -> float | None:
        """Time of the next retry; None if none waits."""
        return min((entry.retry_at for entry in self._entries.values() if entry.retry_at > now), default=None)
