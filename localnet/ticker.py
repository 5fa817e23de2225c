"""Opens slots as they fall due."""

import asyncio

from solders.pubkey import Pubkey

from localnet.cluster import Cluster
from localnet.records import TransactionRecord


class Ticker:
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

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Of no concern."""

    def accounts_written(self, slot: int, addresses: list[Pubkey]) -> None:
        """Of no concern."""

    def slot_finalized(self, slot: int, records: list[TransactionRecord], addresses: list[Pubkey]) -> None:
        """Of no concern."""
