"""Does a keeper's chores: looks for what is due, sends it and counts it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import groupby
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.rpc import Reader
from anchor_client.transactions import Prepared, TransactionSender
from anchor_client.wallet import Wallet
from keeper.backoff import Backoff
from keeper.chores import CHORES
from keeper.chores.chore import Chore, Errand, Look
from keeper.errors import PASSING
from keeper.record import Record
from keeper.settings import KeeperSettings

log = structlog.get_logger(__name__)

MAX_PASSES: Final = 4
"""Looks at a chore in a row: what one pass does may make the next thing due, and shows who was faster."""


class ChoreRunner:
    """Does the chosen chores. An errand that fails is set aside, each time for twice as long."""

    def __init__(
        self, settings: KeeperSettings, reader: Reader, record: Record, chores: Iterable[Chore] | None = None
    ) -> None:
        chosen = [CHORES[name] for name in CHORES if name in settings.chores] if chores is None else chores
        self._chores = {chore: Backoff(settings.backoff_seconds, settings.max_backoff_seconds) for chore in chosen}
        self._settings = settings
        self._reader = reader
        self._record = record
        self._wallet: Wallet = settings.wallet()
        self._sender = TransactionSender(
            reader.client,
            commitment=reader.commitment,
            max_priority_fee=settings.max_priority_fee,
            program_id=reader.program_id,
        )
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._resting: dict[Pubkey, int] = {}
        self._landing: set[asyncio.Task[bool]] = set()

    async def run_once(self) -> None:
        """Does each chore until nothing more of it can be done. Raises the network's errors."""
        for chore in self._chores:
            await self._do(chore)

    async def serve(self, stop: asyncio.Event) -> None:
        """Does each chore every `chores_seconds`; ends at once when `stop` is set. Outages of the node are waited out.

        What has been sent by then still has to land: see `drain`.
        """
        if not self._chores:
            return
        stopping = asyncio.create_task(stop.wait())
        serving = asyncio.create_task(self._serve())
        try:
            await asyncio.wait((stopping, serving), return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
        finally:
            stopping.cancel()
            serving.cancel()
            await asyncio.gather(stopping, serving, return_exceptions=True)

    @property
    def in_flight(self) -> int:
        """Transactions whose fate is open."""
        return len(self._landing)

    async def drain(self, seconds: float | None = None) -> bool:
        """Waits until nothing is in flight, at most so many seconds; whether that is so."""
        if self._landing:
            await asyncio.wait(self._landing, timeout=seconds)
        return not self._landing

    async def close(self) -> None:
        """Lets go of what is in flight."""
        tasks = list(self._landing)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self) -> None:
        while True:
            for chore in self._chores:
                try:
                    await self._do(chore)
                except PASSING as error:
                    self._record.cut_short(error)
                    log.warning("chore_cut_short", chore=str(chore.name), error=error.message)
            await asyncio.sleep(self._settings.chores_seconds)

    async def _do(self, chore: Chore) -> None:
        for _ in range(MAX_PASSES):
            if not await self._pass(chore):
                return

    async def _pass(self, chore: Chore) -> bool:
        """Tries every errand that is due, those of a task at once and one task after the other; whether any was."""
        backoff = self._chores[chore]
        now = await self._reader.now()
        self._resting = {subject: until for subject, until in self._resting.items() if until > now}
        look = Look(self._reader, now, self._wallet.pubkey, self._settings.token_account_loss_lamports)
        due = [errand for errand in await chore.find_due(look) if errand.subject not in self._resting]
        backoff.retain({errand.subject for errand in due})
        self._record.chore_set_aside(chore.name, backoff.entries())
        open_ = [errand for errand in due if not backoff.holds(errand.subject, now)]
        for _, errands in groupby(open_, key=lambda errand: errand.task):
            tries = (self._try(chore, errand, now) for errand in errands)
            for result in await asyncio.gather(*tries, return_exceptions=True):
                if isinstance(result, BaseException):
                    raise result
        return bool(open_)

    async def _try(self, chore: Chore, errand: Errand, now: int) -> None:
        """Sends an errand's transactions, one after the other. Raises what is the node's fault."""
        async with self._slots:
            for number, instructions in enumerate(errand.transactions, 1):
                try:
                    prepared = await self._sender.prepare(instructions, payer=self._wallet)
                except PASSING:
                    raise
                except GpuMarketError as error:
                    self._failed(chore, errand, error, now)
                    return
                if not await self._land(chore, errand, prepared, now, last=number == len(errand.transactions)):
                    return

    async def _land(self, chore: Chore, errand: Errand, prepared: Prepared, now: int, *, last: bool) -> bool:
        """Whether it landed. Who stops waiting for a transaction does not keep it from being counted."""

        async def landing() -> bool:
            try:
                sent = await self._sender.submit(prepared)
            except PASSING:
                raise
            except GpuMarketError as error:
                self._failed(chore, errand, error, now)
                return False
            self._record.chore_sent(sent.fee)
            if last:
                self._resting[errand.subject] = errand.again_at
                self._record.chore_done(chore.name, errand, sent.signature)
            return True

        task = asyncio.create_task(landing(), name=f"land-{prepared.signature}")
        self._landing.add(task)
        task.add_done_callback(self._landed)
        return await asyncio.shield(task)

    def _landed(self, task: asyncio.Task[bool]) -> None:
        self._landing.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("chore_fate_unknown", task=task.get_name(), error=str(error))

    def _failed(self, chore: Chore, errand: Errand, error: GpuMarketError, now: int) -> None:
        backoff = self._chores[chore]
        entry = backoff.set_aside(errand.subject, type(error).__name__, error.message, now)
        self._record.chore_failed(chore.name, errand, entry)
        self._record.chore_set_aside(chore.name, backoff.entries())
