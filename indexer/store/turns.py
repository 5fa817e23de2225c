"""Turns at what few can use at a time: networks take turns, so the many requests of one wait for each other."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from anchor_client.service.shares import widest_of

HOLDER: ContextVar[str] = ContextVar("holder", default="")
"""Address, or wallet with standing, that the current request counts for; empty for the API's own work."""


@contextmanager
def own_work() -> Iterator[None]:
    """Counts what the current task does as the API's own work, until the context is left."""
    holder, work = HOLDER.set(""), WORK.set(None)
    try:
        yield
    finally:
        WORK.reset(work)
        HOLDER.reset(holder)


class SharedWork:
    """Work that callers of several networks wait for: it gets the turn of whichever of them has it first."""

    def __init__(self) -> None:
        self._networks = {_network()}
        self._place: tuple[NetworkTurns, asyncio.Future[None]] | None = None

    @contextmanager
    def doing(self) -> Iterator[None]:
        """Counts all that the current task does as this work, until the context is left."""
        token = WORK.set(self)
        try:
            yield
        finally:
            WORK.reset(token)

    def join(self) -> None:
        """The current holder waits for it too."""
        network = _network()
        if network in self._networks:
            return
        self._networks.add(network)
        if self._place is not None:
            turns, place = self._place
            turns.queue(network, place)

    async def wait(self, turns: NetworkTurns, place: asyncio.Future[None]) -> None:
        """Waits for a turn in the place of each of its networks."""
        self._place = turns, place
        for network in self._networks:
            turns.queue(network, place)
        try:
            await place
        finally:
            self._place = None


WORK: ContextVar[SharedWork | None] = ContextVar("work", default=None)
"""The work that the current task does for several callers."""


def _network() -> str:
    return widest_of(HOLDER.get())


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
        work = WORK.get()
        try:
            if work is not None:
                await work.wait(self, place)
            else:
                self.queue(_network(), place)
                await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self.pass_on()
            raise

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A turn of the current holder, until the context is left."""
        await self.begin()
        try:
            yield
        finally:
            self.pass_on()

    def queue(self, network: str, place: asyncio.Future[None]) -> None:
        """Has a place wait for a network's turn; it may wait for those of others too."""
        self._waiting.setdefault(network, deque()).append(place)

    def pass_on(self) -> None:
        """Gives the turn to the network that has waited longest for one."""
        while self._waiting:
            network, places = next(iter(self._waiting.items()))
            place = places.popleft()
            if not places:
                del self._waiting[network]
            if place.done():
                continue  # left, or had the turn of another network: it costs this one none
            if places:
                self._waiting.move_to_end(network)
            place.set_result(None)
            return
        self._free += 1

    def close(self) -> None:
        """Cancels those who wait."""
        for places in self._waiting.values():
            for place in places:
                place.cancel()
        self._waiting.clear()
