"""Waiting for something to do."""

from __future__ import annotations

import asyncio

RETRY_SECONDS = 1.0
"""Before something that has failed is tried again."""


async def woken(event: asyncio.Event, seconds: float) -> bool:
    """Waits until `event` is set, at most for `seconds`, and clears it; whether it was set."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    event.clear()
    return True
