"""Turns of clients that have missed events: a page of one client at a time, however many there are.

The event loop sends a page without a pause. Pages of many clients one after the other would keep every other answer
waiting; so after a page the loop rests as long as the page took, unless no other client waits for its turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

TURN_MILLISECONDS: Final = 50
"""Longest time that a client which does not take its page keeps others waiting."""
MILLISECONDS: Final = 1_000


class Turn:
    """A client's turn, which ends once, with its page or by the clock."""

    def __init__(self, turns: PageTurns) -> None:
        self._turns = turns
        self._loop = asyncio.get_running_loop()
        self._begun = self._loop.time()
        self._limit: asyncio.TimerHandle | None = None
        self._is_over = False

    def limit(self) -> None:
        """Its page has been read: the client has TURN_MILLISECONDS to take it."""
        self._limit = self._loop.call_later(TURN_MILLISECONDS / MILLISECONDS, self.end)

    def end(self) -> None:
        """Lets the next client have its turn, after a rest if one waits."""
        if self._limit is not None:
            self._limit.cancel()
        if not self._is_over:
            self._is_over = True
            self._turns.pass_on(self._loop.time() - self._begun)


class PageTurns:
    """Gives clients their turns in the order in which they ask."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[Turn]:
        """Waits for the turns of those that have asked before."""
        self._waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self._waiting -= 1
        turn = Turn(self)
        try:
            yield turn
        finally:
            turn.end()

    def pass_on(self, seconds: float) -> None:
        """Ends a turn that took so long."""
        if self._waiting:
            asyncio.get_running_loop().call_later(seconds, self._lock.release)
        else:
            self._lock.release()
