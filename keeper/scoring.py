"""Keeps hosts' scores fresh, at the operator's expense."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

import structlog

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Host, Listing, Market
from anchor_client.generated.pdas import find_market
from anchor_client.market.cranks import reputation_updates
from anchor_client.rpc import Reader
from anchor_client.transactions import TransactionSender
from anchor_client.wallet import Wallet
from keeper.metrics import KeeperMetrics
from keeper.tasks.update_reputation import DueScore, find_due

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Scoring:
    """Scores whatever hosts are due."""

    reader: Reader
    sender: TransactionSender
    wallet: Wallet
    metrics: KeeperMetrics

    async def run_once(self) -> int:
        """How many hosts it has scored; one that cannot be is left for the next time. Raises the network's errors."""
        now = await self.reader.now()
        market = await self.reader.read(Market, find_market(self.reader.program_id)[0])
        if market is None:
            return 0
        hosts, listings = await self.reader.read_all(Host), await self.reader.read_all(Listing)
        scored = 0
        for due in find_due(hosts, listings, market.reputation_interval, now):
            scored += await self._score(due)
        return scored

    async def run(self, seconds: float, stop: asyncio.Event) -> None:
        """Looks every so many seconds until `stop` is set; outages of the node are waited out."""
        while not stop.is_set():
            try:
                await self.run_once()
            except GpuMarketError as error:
                log.warning("scoring_cut_short", error=error.message)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)

    async def _score(self, due: DueScore) -> bool:
        try:
            for instruction in reputation_updates(due.host, due.listings, self.reader.program_id):
                await self.sender.send([instruction], payer=self.wallet)
        except GpuMarketError as error:
            log.warning("scoring_failed", host=str(due.host), reason=type(error).__name__, message=error.message)
            return False
        self.metrics.scored.inc()
        log.info("host_scored", host=str(due.host), listings=len(due.listings))
        return True
