"""Shares due work among keepers that do not know each other: each waits for its own turn, drawn by a hash."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Iterable
from typing import Any, Final

from solders.pubkey import Pubkey

from keeper.tasks.task import DueTask

STEPS: Final = 4
"""Parts of a window: what falls due within one shares a turn, and so a transaction."""
SKEW: Final = 2.0
"""Skew towards later turns: the more keepers there are, the farther the first is ahead of the second."""
HASH_BYTES: Final = 8
HASHES: Final = 256**HASH_BYTES


def new_identity() -> bytes:
    """Another for each process, so that keepers with the same wallet differ too."""
    return secrets.token_bytes(16)


class WorkShare:
    """One keeper's turns.

    Work of the same `window / STEPS` seconds gets the same turn: a moment of the `window` seconds afterwards, by a hash
    of the keeper and of that time. The keeper whose moment comes first finds all of it, the others nothing; if it is
    dead or fails, the next takes over. So no work waits longer than a window and a step.
    Each keeper does what it takes in an order of its own, so that those with much to do meet rarely.
    """

    def __init__(self, window: float, identity: bytes | None = None) -> None:
        self.step = window / STEPS
        self.next_at: float | None = None
        """The keeper's next turn at known work, unix seconds; None if it waits for none."""
        self._window = window
        self._identity = new_identity() if identity is None else identity
        self._since: dict[tuple[Pubkey, str], int] = {}

    def turn_at(self, due_at: int) -> float:
        """Unix seconds from which this keeper does what fell due at `due_at`."""
        if not self._window:
            return due_at
        begins = -(-due_at // self.step) * self.step
        drawn = self._hash(str(begins).encode()) / HASHES
        return begins + self._window * math.log1p(drawn * math.expm1(SKEW)) / SKEW

    def take(self, due: Iterable[DueTask[Any]], now: int) -> list[DueTask[Any]]:
        """The tasks whose turn has come; `due` is everything due at `now`.

        A match is due whenever it is found, so its turn counts from when it was found first.
        """
        since: dict[tuple[Pubkey, str], int] = {}
        taken = []
        waiting = []
        for entry in due:
            key = entry.address, entry.task.name
            since[key] = min(self._since.get(key, entry.due_at), entry.due_at)
            turn_at = self.turn_at(since[key])
            if turn_at <= now:
                taken.append(entry)
            else:
                waiting.append(turn_at)
        self._since = since
        self.next_at = min(waiting, default=None)
        return taken

    def order(self, key: bytes) -> int:
        """This keeper's place for a vault or a rental, in an order that differs between keepers."""
        return self._hash(key)

    def _hash(self, key: bytes) -> int:
        return int.from_bytes(hashlib.blake2b(key, digest_size=HASH_BYTES, key=self._identity).digest())
