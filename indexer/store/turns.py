"""Turns at what few can use at a time: networks take turns, so the many requests of one wait for each other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from contextvars import ContextVar

from anchor_client.service.shares import widest_of

HOLDER: ContextVar[str] = ContextVar("holder", default="")
"""Address, or wallet with standing, that the current request counts for; empty for the API's own work."""


class NetworkTurns:
    """Gives up to `places` at a time, to each network in its turn and within it in the order of asking."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    async def begin(self) -> None:
        """Waits for the turn of the current holder; whoever gets it passes it on."""
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(widest_of(HOLDER.get()), deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self.pass_on()
            raise

    def pass_on(self) -> None:
        """Gives the turn to the network that has waited longest for one."""
        while self._waiting:
            network, places = self._waiting.popitem(last=False)
            place = places.popleft()
            if places:
                self._waiting[network] = places
            if not place.done():
                place.set_result(None)
                return
        self._free += 1

    def close(self) -> None:
        """Cancels those who wait."""
        for places in self._waiting.values():
            for place in places:
                place.cancel()
        self._waiting.clear()
