"""Opens slots as they fall due."""

import asyncio

from localnet.cluster import Cluster
from localnet.events import Observer


class Ticker(Observer):
    """Sleeps from slot to slot; while the cluster is paused, until it opens a slot again."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._opened = asyncio.Event()
        cluster.observe(self)

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            self._cluster.advance()
            if self._cluster.timeline.paused:
                self._opened.clear()
                await self._opened.wait()
            else:
                await asyncio.sleep(self._cluster.timeline.seconds_until_next())

    def slot_opened(self, slot: int, finalized: int) -> None:
        """Wakes a ticker that waits for the end of a pause."""
        self._opened.set()
