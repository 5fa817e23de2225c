"""Repeated reads of a node, from memory for a moment: for servers whose clients ask for the same."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import msgspec

T = TypeVar("T")

KEPT_METHODS: Final = frozenset(
    {
        "getLatestBlockhash",
        "getMinimumBalanceForRentExemption",
        "getProgramAccounts",
        "getRecentPerformanceSamples",
        "getRecentPrioritizationFees",
    }
)
"""Not `getMultipleAccounts`: a plan that is made of accounts as they were before the last act is refused."""
MAX_ENTRIES: Final = 512


class Calls(Protocol):
    """A caller of RPC methods, such as `JsonRpc`."""

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class _Entry:
    answer: asyncio.Task[Any]
    until: float


class AnswerCache:
    """Makes calls through `calls`; answers are reused for `seconds`, and concurrent equal calls share one."""

    def __init__(self, calls: Calls, seconds: float) -> None:
        self._calls = calls
        self._seconds = seconds
        self._entries: dict[tuple[str, bytes], _Entry] = {}

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        """As `JsonRpc.call`. Failures are not kept."""
        if method not in KEPT_METHODS:
            return await self._calls.call(method, params, read)
        key = (method, msgspec.json.encode(params))
        now = time.monotonic()
        entry = self._entries.get(key)
        if entry is None or entry.until < now:
            self._make_room(now)
            asked = asyncio.create_task(self._calls.call(method, params, read))
            asked.add_done_callback(lambda task: self._forget_failure(key, task))
            entry = self._entries[key] = _Entry(asked, now + self._seconds)
        # Who stops waiting does not keep the others from their answer.
        answer: T = await asyncio.shield(entry.answer)
        return answer

    def _make_room(self, now: float) -> None:
        if len(self._entries) >= MAX_ENTRIES:
            self._entries = {key: entry for key, entry in self._entries.items() if entry.until >= now}
        while len(self._entries) >= MAX_ENTRIES:
            del self._entries[next(iter(self._entries))]

    def _forget_failure(self, key: tuple[str, bytes], task: asyncio.Task[Any]) -> None:
        if task.cancelled() or task.exception() is not None:
            entry = self._entries.get(key)
            if entry is not None and entry.answer is task:
                del self._entries[key]
