"""Hands the order of an open rental over again, while its host has not started it: whoever carries orders may have had
to let it go before its rental was known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import API_FAILURES
from anchor_client.market.session import Session

REPEAT_SECONDS: Final = 10.0


@asynccontextmanager
async def handing_over(session: Session, rental: Pubkey) -> AsyncIterator[asyncio.Task[None]]:
    """Repeats it until it is known to have arrived with its rental, the task is cancelled or the context is left."""
    repeating = asyncio.create_task(_repeat(session, rental))
    try:
        yield repeating
    finally:
        repeating.cancel()
        await asyncio.gather(repeating, return_exceptions=True)


async def hand_over_again(session: Session, rental: Pubkey) -> bool:
    """Hands it over once more, if this session did before; True if it need not be done again."""
    order = session.open_orders.get(rental)
    if order is None or session.deliver_order is None:
        return True
    try:
        return await session.deliver_order(order) is True
    except API_FAILURES:
        return False


async def _repeat(session: Session, rental: Pubkey) -> None:
    while True:
        if await hand_over_again(session, rental):
            session.open_orders.pop(rental, None)
            return
        await asyncio.sleep(REPEAT_SECONDS)
