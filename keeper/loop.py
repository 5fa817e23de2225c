"""Runs a keeper: once, for cron, or as a service."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from solana.rpc.commitment import Confirmed

from anchor_client.node import NodeClient
from anchor_client.rpc import Reader
from keeper.chores.runner import ChoreRunner
from keeper.errors import PASSING
from keeper.journal import Journal, open_journal
from keeper.keeper import Keeper
from keeper.metrics import KeeperMetrics, serve_metrics
from keeper.settings import KeeperSettings
from keeper.summary import Summary
from keeper.wakeups import Wakeups

log = structlog.get_logger(__name__)

MAX_PASSES: Final = 8


async def run_once(settings: KeeperSettings) -> Summary:
    """Ends what is due now and waits until it has landed, then does each chosen chore.

    Raises KeeperConfigurationError and BadKeyFile for settings that make no keeper (exit code 2), KeeperOutOfFunds and
    the network's errors; `Summary.exit_code` has the rest.
    """
    async with _connected(settings) as (reader, journal):
        keeper = Keeper(settings, reader, journal)
        chores = ChoreRunner(settings, reader, keeper.record)
        try:
            for _ in range(MAX_PASSES):
                last = await keeper.run_pass()
                await keeper.drain()
                if last.idle:
                    break
            keeper.record.finished(last.due, keeper.in_flight)
            await chores.run_once()
            return keeper.record.summary
        finally:
            await chores.close()
            await keeper.close()


async def run_service(
    settings: KeeperSettings, *, ready: asyncio.Event, stop: asyncio.Event, metrics: KeeperMetrics | None = None
) -> Summary:
    """Ends what falls due until `stop` is set, then waits for what is in flight as long as the settings allow.

    Does the chosen chores beside that. `ready` is set after the first look at the chain. What has not landed by the end
    stays in the state directory's journal. Outages of the node are waited out. Raises as `run_once` does for settings
    that make no keeper.
    """
    metrics = metrics or KeeperMetrics()
    with serve_metrics(metrics, settings.metrics_port):
        async with _connected(settings) as (reader, journal):
            wakeups = Wakeups(
                reader,
                settings.ws_url,
                clock_seconds=settings.clock_seconds,
                max_seconds=settings.max_interval_seconds,
            )
            keeper = Keeper(settings, reader, journal, metrics=metrics, on_settled=wakeups.call)
            chores = ChoreRunner(settings, reader, keeper.record)
            listening = asyncio.create_task(wakeups.listen(), name="keeper-listen")
            stopping = asyncio.create_task(_call_at(stop, wakeups), name="keeper-stop")
            try:
                await _together(_serve(keeper, wakeups, ready, stop), chores.serve(stop))
                drained = await asyncio.gather(
                    keeper.drain(settings.shutdown_seconds), chores.drain(settings.shutdown_seconds)
                )
                log.info("keeper_stopped", in_flight=0 if all(drained) else keeper.in_flight + chores.in_flight)
                return keeper.record.summary
            finally:
                for task in (listening, stopping):
                    task.cancel()
                await asyncio.gather(listening, stopping, return_exceptions=True)
                await chores.close()
                await keeper.close()


async def _serve(keeper: Keeper, wakeups: Wakeups, ready: asyncio.Event, stop: asyncio.Event) -> None:
    log.info("keeper_started", wallet=str(keeper.wallet.pubkey), rpc=keeper.settings.rpc_url)
    while not stop.is_set():
        next_at: float | None = None
        try:
            next_at = (await keeper.run_pass()).next_at
            ready.set()
        except PASSING as error:
            keeper.record.cut_short(error)
            log.warning("pass_cut_short", error=error.message)
        if not stop.is_set():
            await wakeups.wait(next_at)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(random.uniform(0, keeper.settings.jitter_seconds)):
                await stop.wait()


async def _together(*parts: Coroutine[Any, Any, None]) -> None:
    """Runs all to their ends; the first that fails ends the others."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _call_at(stop: asyncio.Event, wakeups: Wakeups) -> None:
    await stop.wait()
    wakeups.call()


@asynccontextmanager
async def _connected(settings: KeeperSettings) -> AsyncIterator[tuple[Reader, Journal]]:
    settings.wallet()
    async with open_journal(settings.state_dir) as journal:
        client = NodeClient(settings.rpc_url, timeout=30)
        try:
            yield Reader(client, commitment=Confirmed, program_id=settings.program_id), journal
        finally:
            await client.close()
