"""Simulates batches, leaves out what would fail, and sends the rest."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market.program import MarketProgram
from anchor_client.rules.subsidy import day
from anchor_client.service.pacing import wait_all
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import ComputeBudget, Simulation, TransactionSender
from anchor_client.solana.transactions.fees import recent_priority_fee
from anchor_client.solana.transactions.message import MICRO_LAMPORTS
from keeper.endings import Ending
from keeper.errors import BudgetSpent
from keeper.in_flight import InFlight
from keeper.journal import Journal, JournalEntry
from keeper.packing import Batch, Packer
from keeper.record import KeeperRecord
from keeper.sender import BatchSender
from keeper.settings import KeeperSettings
from keeper.trial import try_batch

log = structlog.get_logger(__name__)

FRESH_SECONDS: Final = 1.0
"""A batch that has waited longer for its place looks again before it is tried."""


class BatchDispatch:
    """Sends batches and follows them. `on_failed` gets each ending that would fail; `on_settled` is called whenever a
    transaction's fate becomes known.
    """

    def __init__(
        self,
        settings: KeeperSettings,
        reader: Reader,
        journal: Journal,
        record: KeeperRecord,
        *,
        on_failed: Callable[[Ending, GpuMarketError, int], None],
        on_settled: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._reader = reader
        self._journal = journal
        self._record = record
        self._wallet = settings.wallet()
        sender = TransactionSender(reader.client, MarketProgram(reader.program_id), commitment=reader.commitment)
        self._sender = BatchSender(sender, journal, self._wallet)
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._on_failed = on_failed
        self._on_settled = on_settled
        self.in_flight: InFlight[JournalEntry] = InFlight(self._landed)

    @property
    def unsettled(self) -> int:
        """Rentals of transactions in flight."""
        return sum(len(entry.intents) for entry in self.in_flight.items)

    @property
    def busy(self) -> set[Pubkey]:
        """Rentals and requests of transactions in flight."""
        return {intent.rental for entry in self.in_flight.items for intent in entry.intents}

    async def recover(self) -> int:
        """Delivers the journal's transactions that are not in flight; some may have been sent. Returns their number."""
        handled = {entry.signature for entry in self.in_flight.items}
        entries = [entry for entry in await self._journal.entries() if entry.signature not in handled]
        for entry in entries:
            log.info("delivery_resumed", signature=str(entry.signature), rentals=len(entry.intents))
            # A preflight would refuse what has landed before the restart.
            self._launch(entry, preflight=False)
        return len(entries)

    async def send(self, packer: Packer, batches: Sequence[Batch], now: int) -> tuple[int, int]:
        """Sends batches side by side. Returns the transactions sent and the endings left out. Does not wait for them
        to land. KeeperOutOfFunds, network errors.
        """
        began = time.monotonic()
        attempts = await wait_all(self._attempt(packer, batch, now, began) for batch in batches)
        return sum(sent for sent, _ in attempts), sum(failed for _, failed in attempts)

    async def _attempt(self, packer: Packer, batch: Batch, now: int, read_at: float) -> tuple[int, int]:
        """Sends a batch without the endings that would fail. Returns the transactions sent and the endings left out."""
        sent = 0
        failed = 0
        waiting = [batch]
        while waiting:
            batch = waiting.pop()
            if not batch.endings or batch.surplus < self._settings.min_profit_lamports:
                continue
            async with self._slots:
                if time.monotonic() - read_at > FRESH_SECONDS:
                    there = await self._still_there(batch)
                    failed += len(batch.endings) - len(there.endings)
                    read_at = time.monotonic()
                    if there.endings != batch.endings:
                        waiting.append(there)
                        continue
                result = await try_batch(self._reader, packer, batch)
                if isinstance(result, Simulation):
                    try:
                        await self._send(packer, batch, result, now)
                    except BudgetSpent as error:
                        self._record.budget_spent(error)
                        break
                    sent += 1
                    continue
            there = await self._still_there(batch)
            if there.endings != batch.endings:
                failed += len(batch.endings) - len(there.endings)
                read_at = time.monotonic()
                waiting.append(there)
            elif result.ending is not None:
                self._on_failed(result.ending, result.error, now)
                failed += 1
                waiting.append(batch.without(result.ending))
            else:
                waiting.extend(batch.halves())
        return sent, failed

    async def _still_there(self, batch: Batch) -> Batch:
        """The batch without endings of accounts that others have closed since they were read."""
        accounts = await self._reader.accounts([ending.due.address for ending in batch.endings])
        there = [ending for ending, account in zip(batch.endings, accounts, strict=True) if account is not None]
        self._record.taken_first(len(batch.endings) - len(there))
        return replace(batch, endings=tuple(there))

    async def _send(self, packer: Packer, batch: Batch, simulation: Simulation, now: int) -> None:
        budget = await self._budget(batch, simulation)
        entry = await self._sender.sign(packer, batch, budget, day(now))
        self._record.signed(batch)
        self._launch(entry, preflight=True)

    async def _budget(self, batch: Batch, simulation: Simulation) -> ComputeBudget:
        """Compute budget of a batch: its simulated units, priced by recent fees within the tips."""
        units = simulation.budget(0).units
        spare = max(batch.surplus - self._settings.min_profit_lamports, 0)
        cap = min(self._settings.max_priority_fee, spare * MICRO_LAMPORTS // units)
        priority_fee = await recent_priority_fee(self._reader.client, batch.instructions, self._wallet.pubkey, cap)
        return simulation.budget(priority_fee)

    def _launch(self, entry: JournalEntry, *, preflight: bool) -> None:
        self.in_flight.launch(entry, self._deliver(entry, preflight=preflight))
        self._record.in_flight(len(self.in_flight.items))

    async def _deliver(self, entry: JournalEntry, *, preflight: bool) -> None:
        self._record.settled(await self._sender.deliver(entry, preflight=preflight))

    def _landed(self) -> None:
        self._record.in_flight(len(self.in_flight.items))
        self._on_settled()
