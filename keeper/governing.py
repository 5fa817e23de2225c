"""Carries votes through: counts them and executes what was voted for, at the operator's expense."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import structlog
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Proposal
from anchor_client.generated.instructions import queue_proposal
from anchor_client.governance import execution
from anchor_client.rpc import Reader
from anchor_client.transactions import TransactionSender
from anchor_client.wallet import Wallet
from keeper.metrics import KeeperMetrics
from keeper.tasks import execute_proposal as execute_task
from keeper.tasks import queue_proposal as queue_task

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Governing:
    """Moves on whatever proposals may be moved on."""

    reader: Reader
    sender: TransactionSender
    wallet: Wallet
    metrics: KeeperMetrics

    async def run_once(self) -> int:
        """How many steps it has taken; what is refused is left for the next time. Raises the network's errors."""
        now = await self.reader.now()
        proposals = await self.reader.read_all(Proposal)
        program = self.reader.program_id
        taken = 0
        for address in queue_task.find_due(proposals, now):
            taken += await self._step("queue", address, [queue_proposal(proposal=address, program_id=program)])
        for address in execute_task.find_due(proposals, now):
            acts = execution(proposals[address], self.wallet.pubkey, program)
            taken += await self._step("execute", address, acts)
        return taken

    async def run(self, seconds: float, stop: asyncio.Event) -> None:
        """Looks every so many seconds until `stop` is set; outages of the node are waited out."""
        while not stop.is_set():
            try:
                await self.run_once()
            except GpuMarketError as error:
                log.warning("governing_cut_short", error=error.message)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), seconds)

    async def _step(self, step: str, proposal: Pubkey, acts: Sequence[Instruction]) -> bool:
        try:
            await self.sender.send(acts, payer=self.wallet)
        except GpuMarketError as error:
            reason = type(error).__name__
            log.warning("proposal_refused", proposal=str(proposal), step=step, reason=reason, message=error.message)
            return False
        self.metrics.proposal_steps.labels(step).inc()
        log.info("proposal_moved_on", proposal=str(proposal), step=step)
        return True
