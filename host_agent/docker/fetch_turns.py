"""Turns of an engine's fetches: one that may have been ended for another's image is tried again alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from host_agent.images.rules import ImageRules

ALONE_SECONDS: Final = 60
"""Maximum time for others' fetches to end before one is alone, and again for it to be alone: those that come meanwhile
wait. An engine reads an image's configuration first.
"""
Attempt = Callable[[ImageRules], Awaitable[None]]
"""Fetches an image within the rules. EngineGrown, OrderRefused, MachineFault."""


class EngineGrown(Exception):
    """A fetch that was ended because the engine's memory has grown too much meanwhile, by this or another image."""


class FetchTurns:
    """Turns at one engine."""

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        """Held by a fetch that no other may begin beside."""
        self._count = 0
        self._is_quiet = asyncio.Event()
        """Set while nothing is fetched but what is alone."""
        self._is_quiet.set()

    async def fetch(self, image: str, rules: ImageRules, attempt: Attempt) -> None:
        """Fetches an image beside others, and once more alone if the engine's memory grows. OrderRefused, and what an
        attempt raises.
        """
        async with self._alone:
            until = asyncio.get_running_loop().time() + rules.timeout_seconds
        try:
            with self._counted():
                await attempt(rules)
        except EngineGrown:
            await self._fetch_again(image, rules, attempt, until)

    async def _fetch_again(self, image: str, rules: ImageRules, attempt: Attempt, until: float) -> None:
        async with self._alone:
            with suppress(TimeoutError):
                async with asyncio.timeout(ALONE_SECONDS):
                    await self._is_quiet.wait()
            left = rules.within(until - asyncio.get_running_loop().time())
            again = asyncio.ensure_future(attempt(left))
            try:
                await asyncio.wait([again], timeout=ALONE_SECONDS)
            except BaseException:
                await _cancel(again)
                raise
        try:
            with self._counted():
                await again
        except EngineGrown:
            raise rules.too_heavy(image) from None
        finally:
            await _cancel(again)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._count += 1
        self._is_quiet.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._is_quiet.set()


async def _cancel(task: asyncio.Future[None]) -> None:
    """Ends what is left of an attempt whose caller is cancelled."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
