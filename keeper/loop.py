"""Runs a keeper: once, for cron, or as a service."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed

from anchor_client.errors import RateLimited, RpcRefused, UnreachableRpc
from anchor_client.rpc import Reader
from anchor_client.transactions import TransactionSender
from keeper.errors import KeeperOutOfFunds
from keeper.governing import Governing
from keeper.journal import Journal, open_journal
from keeper.keeper import Keeper
from keeper.meters import MeterKeeper
from keeper.metrics import KeeperMetrics, serve_metrics
from keeper.rewards import Rewards
from keeper.scoring import Scoring
from keeper.settings import KeeperSettings
from keeper.summary import Summary
from keeper.wakeups import Wakeups

log = structlog.get_logger(__name__)

MAX_PASSES: Final = 8
PASSING: Final = (UnreachableRpc, RateLimited, RpcRefused, KeeperOutOfFunds)
"""What a service waits out; anything else is the operator's to mend."""


async def run_once(settings: KeeperSettings) -> Summary:
    """Ends what is due now and waits until it has landed.

    Raises KeeperConfigurationError and BadKeyFile for settings that make no keeper (exit code 2), KeeperOutOfFunds and
    the network's errors; `Summary.exit_code` has the rest.
    """
    async with _connected(settings) as (reader, journal):
        keeper = Keeper(settings, reader, journal)
        try:
            for _ in range(MAX_PASSES):
                last = await keeper.run_pass()
                await keeper.drain()
                if last.idle:
                    break
            keeper.record.finished(last.due, keeper.in_flight)
            if settings.tend_rewards:
                await _rewards(reader, settings, KeeperMetrics()).run_once()
            if settings.score_hosts:
                await _scoring(reader, settings, KeeperMetrics()).run_once()
            if settings.charges:
                meters = MeterKeeper(settings, reader)
                await meters.run()
                keeper.record.charged(meters.moved, meters.failed)
            if settings.govern:
                await _governing(reader, settings, KeeperMetrics()).run_once()
            return keeper.record.summary
        finally:
            await keeper.close()


async def run_service(
    settings: KeeperSettings, *, ready: asyncio.Event, stop: asyncio.Event, metrics: KeeperMetrics | None = None
) -> Summary:
    """Ends what falls due until `stop` is set, then waits for what is in flight as long as the settings allow.

    `ready` is set after the first look at the chain. What has not landed by the end stays in the state directory's
    journal. Outages of the node are waited out. Raises as `run_once` does for settings that make no keeper.
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
            listening = asyncio.create_task(wakeups.listen(), name="keeper-listen")
            stopping = asyncio.create_task(_call_at(stop, wakeups), name="keeper-stop")
            tasks = [listening, stopping]
            if settings.tend_rewards:
                rewards = _rewards(reader, settings, metrics)
                tasks.append(asyncio.create_task(rewards.run(settings.tending_seconds, stop), name="keeper-rewards"))
            if settings.score_hosts:
                scoring = _scoring(reader, settings, metrics)
                tasks.append(asyncio.create_task(scoring.run(settings.scoring_seconds, stop), name="keeper-score"))
            meters = MeterKeeper(settings, reader)
            metering = asyncio.create_task(_serve_meters(meters, settings, stop), name="keeper-meters")
            tasks.append(metering)
            if settings.govern:
                governing = _governing(reader, settings, metrics)
                tasks.append(asyncio.create_task(governing.run(settings.governing_seconds, stop), name="keeper-govern"))
            try:
                await _serve(keeper, wakeups, ready, stop)
                await asyncio.wait((metering,), timeout=settings.shutdown_seconds)
                keeper.record.charged(meters.moved, meters.failed)
                landed = await keeper.drain(settings.shutdown_seconds)
                log.info("keeper_stopped", in_flight=0 if landed else keeper.in_flight)
                return keeper.record.summary
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
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
            await asyncio.wait_for(stop.wait(), random.uniform(0, keeper.settings.jitter_seconds))


def _rewards(reader: Reader, settings: KeeperSettings, metrics: KeeperMetrics) -> Rewards:
    sender = TransactionSender(reader.client, commitment=reader.commitment, program_id=reader.program_id)
    return Rewards(reader, sender, settings.wallet(), metrics)


def _scoring(reader: Reader, settings: KeeperSettings, metrics: KeeperMetrics) -> Scoring:
    sender = TransactionSender(reader.client, commitment=reader.commitment, program_id=reader.program_id)
    return Scoring(reader, sender, settings.wallet(), metrics)


async def _serve_meters(meters: MeterKeeper, settings: KeeperSettings, stop: asyncio.Event) -> None:
    while settings.charges and not stop.is_set():
        try:
            await meters.run()
        except PASSING as error:
            log.warning("meters_cut_short", error=error.message)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), settings.max_interval_seconds)


def _governing(reader: Reader, settings: KeeperSettings, metrics: KeeperMetrics) -> Governing:
    sender = TransactionSender(reader.client, commitment=reader.commitment, program_id=reader.program_id)
    return Governing(reader, sender, settings.wallet(), metrics)


async def _call_at(stop: asyncio.Event, wakeups: Wakeups) -> None:
    await stop.wait()
    wakeups.call()


@asynccontextmanager
async def _connected(settings: KeeperSettings) -> AsyncIterator[tuple[Reader, Journal]]:
    settings.wallet()
    async with open_journal(settings.state_dir) as journal:
        client = AsyncClient(settings.rpc_url, commitment=Confirmed, timeout=30)
        try:
            yield Reader(client, commitment=Confirmed, program_id=settings.program_id), journal
        finally:
            await client.close()
