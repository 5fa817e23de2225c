"""Waiting for what the market's services do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market import Market

Answer = TypeVar("Answer")

POLL_SECONDS = 0.1


async def until(
    market: Market, account: Pubkey, holds: Callable[[], Awaitable[bool]], seconds: float, otherwise: GpuMarketError
) -> None:
    """Waits for a change of `account` after which a condition holds. Raises `otherwise` if it takes longer."""
    try:
        async with asyncio.timeout(seconds), market.session.wakeups.of(account) as wakeups:
            async for _ in wakeups:
                if await holds():
                    return
    except TimeoutError:
        pass
    raise otherwise from None


async def polled(ask: Callable[[], Awaitable[Answer | None]], seconds: float, otherwise: GpuMarketError) -> Answer:
    """The first answer. Raises `otherwise` when there is none in time."""
    deadline = time.monotonic() + seconds
    while (answer := await ask()) is None:
        if time.monotonic() > deadline:
            raise otherwise
        await asyncio.sleep(POLL_SECONDS)
    return answer
