"""Turns a keeper's cranks: finds due tasks, sends them and counts them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.market.program import MarketProgram
from anchor_client.rules.subsidy import day
from anchor_client.service.pacing import run_until, wait_all
from anchor_client.service.supervision import Turns
from anchor_client.solana.rpc import Reader
from anchor_client.solana.transactions import Prepared, TransactionSender
from keeper.endings import Ending, EndingBuilder
from keeper.errors import PASSING, BudgetSpent, is_waited_out
from keeper.in_flight import InFlight
from keeper.journal import Journal
from keeper.names import CrankName
from keeper.record import KeeperRecord
from keeper.set_aside import SetAsides
from keeper.settings import KeeperSettings
from keeper.tasks import CRANKS, FindDue
from keeper.tasks.task import DueTask

MAX_PASSES: Final = 4
"""Maximum passes over a crank in a row: one pass may make the next task due, or show that another keeper was faster."""


class CrankRunner:
    """Turns the chosen cranks within the journal's budget, if there is one. Failed tasks back off exponentially."""

    def __init__(
        self,
        settings: KeeperSettings,
        reader: Reader,
        record: KeeperRecord,
        cranks: Mapping[CrankName, FindDue] | None = None,
        *,
        journal: Journal | None = None,
    ) -> None:
        chosen = {name: find for name, find in CRANKS.items() if name in settings.cranks}
        self._cranks = chosen if cranks is None else cranks
        self._waiting = {
            name: SetAsides(settings.backoff_seconds, settings.max_backoff_seconds) for name in self._cranks
        }
        self._settings = settings
        self._reader = reader
        self._record = record
        self._journal = journal
        self._wallet = settings.wallet()
        self._builder = EndingBuilder(self._wallet.pubkey, reader.program_id)
        self._sender = TransactionSender(
            reader.client,
            MarketProgram(reader.program_id),
            commitment=reader.commitment,
            max_priority_fee=settings.max_priority_fee,
        )
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._resting: dict[Pubkey, int] = {}
        self._started = False
        self.in_flight: InFlight[Prepared] = InFlight()

    async def run_once(self) -> None:
        """Turns each crank until it has no more work. Raises network errors."""
        for crank in self._cranks:
            await self._turn(crank)

    async def serve(
        self, stop: asyncio.Event, *, may_act: Callable[[], bool] = lambda: True, turns: Turns | None = None
    ) -> None:
        """Turns each crank every `cranks_seconds` while it `may_act`; ends immediately when `stop` is set.

        As `run_service`, it waits out what goes wrong.

        What has been sent by then still has to land: drain `in_flight`.
        """
        if self._cranks:
            await run_until(stop, self._serve(may_act, turns or Turns()))

    async def _serve(self, may_act: Callable[[], bool], turns: Turns) -> None:
        while True:
            for crank in self._cranks if may_act() else ():
                try:
                    with turns:
                        await self._turn(crank)
                except Exception as error:
                    if not is_waited_out(error, started=self._started):
                        raise
                    self._record.cut_short(error)
                else:
                    self._started = True
            await asyncio.sleep(self._settings.cranks_seconds)

    async def _turn(self, crank: CrankName) -> None:
        for _ in range(MAX_PASSES):
            if not await self._pass(crank):
                return

    async def _pass(self, crank: CrankName) -> bool:
        """Tries all due tasks, one after another, each for all its subjects concurrently. Returns True if anything was
        due.
        """
        waiting = self._waiting[crank]
        now = await self._reader.now()
        self._resting = {subject: until for subject, until in self._resting.items() if until > now}
        due = [entry for entry in await self._cranks[crank](self._reader, now) if entry.address not in self._resting]
        waiting.retain({entry.address for entry in due})
        self._record.crank_set_aside(crank, waiting.entries())
        endings = self._builder.build(entry for entry in due if not waiting.holds(entry.address, now))
        for _, same_task in groupby(endings, key=lambda ending: ending.due.task.name):
            await wait_all(self._try(crank, ending, now) for ending in same_task)
        return bool(endings)

    async def _try(self, crank: CrankName, ending: Ending, now: int) -> None:
        """Sends an ending's transactions, one after another. Raises errors of the node."""
        async with self._slots:
            for number, instructions in enumerate(ending.transactions, 1):
                try:
                    prepared = await self._sender.prepare(instructions, payer=self._wallet)
                    fee = await self._reader.client.signature_fee() + prepared.budget.priority_lamports_ceil
                    if self._journal is not None:
                        await self._journal.spend(prepared.signature, day(now), fee)
                except PASSING:
                    raise
                except BudgetSpent as error:
                    self._record.budget_spent(error)
                    return
                except GpuMarketError as error:
                    self._failed(crank, ending.due, error, now)
                    return
                last = number == len(ending.transactions)
                landing = self._land(crank, ending.due, prepared, now, last=last)
                # Whoever stops waiting for a transaction does not keep it from being counted.
                if not await asyncio.shield(self.in_flight.launch(prepared, landing)):
                    return

    async def _land(self, crank: CrankName, due: DueTask[Any], prepared: Prepared, now: int, *, last: bool) -> bool:
        try:
            sent = await self._sender.submit(prepared)
        except PASSING:
            raise
        except GpuMarketError as error:
            self._failed(crank, due, error, now)
            return False
        self._record.crank_sent(sent.fee)
        if last:
            self._resting[due.address] = due.subject.rests_until
            self._record.crank_done(crank, due, sent.signature)
        return True

    def _failed(self, crank: CrankName, due: DueTask[Any], error: GpuMarketError, now: int) -> None:
        waiting = self._waiting[crank]
        entry = waiting.set_aside(due.address, type(error).__name__, error.message, now)
        self._record.crank_failed(crank, due, entry)
        self._record.crank_set_aside(crank, waiting.entries())
