"""Runs a keeper once, for cron, or as a service."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from solana.rpc.commitment import Confirmed

from anchor_client.service.disk import DiskMetrics
from anchor_client.service.monitoring import serve_metrics
from anchor_client.service.pacing import background, run_all, run_until, wait_all
from anchor_client.service.redaction import redact
from anchor_client.service.supervision import Supervisor, Turns
from anchor_client.solana.json_rpc import Retries
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import Reader
from keeper.assembly import assemble
from keeper.cranks import CrankRunner
from keeper.errors import is_waited_out
from keeper.health import health
from keeper.journal import Journal, open_journal
from keeper.keeper import Keeper
from keeper.leader import Leadership, open_leadership
from keeper.metrics import KeeperMetrics
from keeper.settings import KeeperSettings
from keeper.source import CandidateSource, open_source
from keeper.summary import KeeperSummary
from keeper.wakeups import Wakeups

log = structlog.get_logger(__name__)

MAX_PASSES: Final = 8
TIMEOUT_SECONDS: Final = 30.0
RETRIES: Final = Retries(attempts=3)


async def run_once(settings: KeeperSettings) -> KeeperSummary:
    """Ends due work, waits for it to land, then turns each chosen crank; does nothing while another keeper leads.

    Raises KeeperConfigurationError and BadKeyFile for invalid settings (exit code 2), KeeperOutOfFunds and network
    errors; see `KeeperSummary.exit_code` for the rest.
    """
    metrics = KeeperMetrics()
    async with _connected(settings, metrics) as (reader, journal, source):
        # There is no later pass in which its turn would come.
        keeper = assemble(replace(settings, turn_seconds=0), reader, journal, source, metrics=metrics)
        cranks = CrankRunner(settings, reader, keeper.record, journal=journal)
        try:
            async with open_leadership(settings, keeper.record.role) as leadership:
                await _run_once(keeper, cranks, leadership)
            return keeper.record.summary
        finally:
            await cranks.in_flight.close()
            await keeper.dispatch.in_flight.close()


async def _run_once(keeper: Keeper, cranks: CrankRunner, leadership: Leadership) -> None:
    if not leadership.acts:
        keeper.record.summary.stood_by = True
        return
    async with background(leadership.keep()):
        for _ in range(MAX_PASSES):
            last = await keeper.run_pass()
            await keeper.dispatch.in_flight.drain()
            if last.idle:
                break
        keeper.record.finished(last.due, keeper.dispatch.unsettled)
        await cranks.run_once()


async def run_service(
    settings: KeeperSettings,
    *,
    ready: asyncio.Event,
    stop: asyncio.Event,
    metrics: KeeperMetrics | None = None,
    supervisor: Supervisor | None = None,
) -> KeeperSummary:
    """Ends work as it falls due and turns the chosen cranks until `stop` is set. Then waits up to `shutdown_seconds`
    for transactions in flight; unlanded ones stay in the state directory's journal. `ready` is set after the first
    pass, or when another keeper leads. Before it, waits out the node's outages, and afterwards whatever goes wrong.
    `supervisor` hears of each pass and, while another keeper leads, of each look at the lock. Raises as `run_once`
    does for invalid settings, and MetricsUnserved.
    """
    metrics = metrics or KeeperMetrics()
    supervisor = supervisor or Supervisor()
    told = partial(health, metrics, settings.stale_seconds)
    counted = [metrics.registry, DiskMetrics(settings.state_dir or Path.cwd())]
    with serve_metrics(counted, settings.metrics_host, settings.metrics_port, health=told):
        async with _connected(settings, metrics) as (reader, journal, source):
            wakeups = Wakeups(reader, settings)
            keeper = assemble(settings, reader, journal, source, metrics=metrics, on_settled=wakeups.call)
            cranks = CrankRunner(settings, reader, keeper.record, journal=journal)
            limit = settings.shutdown_seconds
            try:
                async with (
                    open_leadership(settings, keeper.record.role, supervisor.loop()) as leadership,
                    background(wakeups.listen(), _call_at(stop, wakeups), _ready(ready, supervisor)),
                ):
                    await run_all(
                        _serve(keeper, source, wakeups, leadership, ready, stop, supervisor.loop()),
                        cranks.serve(stop, may_act=lambda: leadership.acts, turns=supervisor.loop()),
                        run_until(stop, leadership.keep()),
                    )
                    drained = await wait_all([keeper.dispatch.in_flight.drain(limit), cranks.in_flight.drain(limit)])
                left = 0
                if not all(drained):
                    left = keeper.dispatch.unsettled + len(cranks.in_flight.items)
                log.info("keeper_stopped", in_flight=left)
                return keeper.record.summary
            finally:
                await cranks.in_flight.close()
                await keeper.dispatch.in_flight.close()


async def _serve(
    keeper: Keeper,
    source: CandidateSource,
    wakeups: Wakeups,
    leadership: Leadership,
    ready: asyncio.Event,
    stop: asyncio.Event,
    turns: Turns,
) -> None:
    log.info("keeper_started", wallet=str(keeper.wallet.pubkey), rpc=redact(keeper.settings.rpc_url))
    was_called = False
    while not stop.is_set():
        if not leadership.acts:
            ready.set()
            await run_until(stop, leadership.until_acting())
            continue
        next_at: float | None = None
        soon = was_called and source.lags
        try:
            with turns:
                next_at = (await keeper.run_pass()).next_at
            ready.set()
        except Exception as error:
            if not is_waited_out(error, started=ready.is_set()):
                raise
            keeper.record.cut_short(error)
            soon = True
        if not stop.is_set():
            was_called = await wakeups.wait(next_at, soon=soon)
        # A look for each change would be one for each ending of other keepers.
        await run_until(stop, asyncio.sleep(random.uniform(0, min(keeper.share.step, 1.0))))


async def _ready(ready: asyncio.Event, supervisor: Supervisor) -> None:
    await ready.wait()
    supervisor.ready()


async def _call_at(stop: asyncio.Event, wakeups: Wakeups) -> None:
    await stop.wait()
    wakeups.call()


@asynccontextmanager
async def _connected(
    settings: KeeperSettings, metrics: KeeperMetrics
) -> AsyncIterator[tuple[Reader, Journal, CandidateSource]]:
    settings.wallet()
    async with open_journal(settings.state_dir, settings.daily_budget_lamports) as journal:
        client = NodeClient(settings.rpc_url, timeout=TIMEOUT_SECONDS, retries=RETRIES, rate=settings.rpc_rate)
        try:
            with metrics.nodes.watching("keeper", client.nodes):
                reader = Reader(client, commitment=Confirmed, program_id=settings.program_id)
                async with open_source(settings, reader, metrics) as source:
                    yield reader, journal, source
        finally:
            await client.close()
