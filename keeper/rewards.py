"""Keeps rewards flowing, at the operator's expense: fees to stakers once an epoch, and epochs ended in time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import structlog
from solders.instruction import Instruction

from anchor_client.errors import GpuMarketError
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market, StakePool, Vault
from anchor_client.generated.pdas import find_market, find_pool
from anchor_client.rpc import Reader
from anchor_client.transactions import TransactionSender
from anchor_client.wallet import Wallet
from keeper.metrics import KeeperMetrics
from keeper.tasks import advance_epoch, sweep_fees

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Rewards:
    """Sweeps every vault once an epoch, and ends epochs."""

    reader: Reader
    sender: TransactionSender
    wallet: Wallet
    metrics: KeeperMetrics
    _swept_until: int = field(default=0, init=False)
    """When the epoch ends whose sweeps are done."""

    async def run_once(self) -> int:
        """How many transactions it has sent; what fails is left for the next time. Raises the network's errors."""
        reader = self.reader
        now = await reader.now()
        market = await reader.read(Market, find_market(reader.program_id)[0])
        pool = await reader.read(StakePool, find_pool(reader.program_id)[0])
        if market is None or pool is None or now < self._swept_until:
            return 0
        sent = 0
        for due in sweep_fees.find_due(await reader.read_all(Vault), market, pool):
            acts = sweep_fees.instructions_of(due, market, self.wallet.pubkey, reader.program_id)
            sent += await self._send("fees_swept", acts, vault=str(due.vault))
        pool = await reader.read(StakePool, find_pool(reader.program_id)[0]) or pool
        if advance_epoch.is_due(pool, now):
            sent += await self._send("epoch_advanced", [build.advance_epoch(program_id=reader.program_id)])
            pool = await reader.read(StakePool, find_pool(reader.program_id)[0]) or pool
        self._swept_until = pool.epoch_ends_at
        return sent

    async def run(self, seconds: float, stop: asyncio.Event) -> None:
        """Looks every so many seconds until `stop` is set; outages of the node are waited out."""
        while not stop.is_set():
            try:
                await self.run_once()
            except GpuMarketError as error:
                log.warning("rewards_cut_short", error=error.message)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)

    async def _send(self, what: str, acts: Sequence[Instruction], **about: str) -> bool:
        try:
            await self.sender.send(acts, payer=self.wallet)
        except GpuMarketError as error:
            log.warning(f"{what}_failed", reason=type(error).__name__, message=error.message, **about)
            return False
        self.metrics.tended.labels(task=what).inc()
        log.info(what, **about)
        return True
