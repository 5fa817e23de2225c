"""Runs the agent of one machine, after checking its settings against the chain and the engine."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import structlog

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.service.monitoring import serve_metrics
from anchor_client.service.pacing import run_all, run_until
from anchor_client.service.supervision import Supervisor
from host_agent.agent import HostAgent
from host_agent.deadlines import Deadlines
from host_agent.disk.room import DiskRoom
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.machine import DockerMachine
from host_agent.errors import HostConfigurationError
from host_agent.listings.health_watch import HealthWatch
from host_agent.listings.listed_watch import ListedWatch
from host_agent.listings.offering import Offering
from host_agent.metrics import HostMetrics, MachineGauges
from host_agent.network.doors import raise_descriptor_limit
from host_agent.network.firewall_watch import FirewallWatch
from host_agent.orders import SealedOrderReader
from host_agent.pace import SILENT_SHARE, HostPace
from host_agent.preparation import prepare
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import ALL_GPUS

log = structlog.get_logger(__name__)


async def run_service(
    settings: AgentSettings, *, ready: asyncio.Event, stop: asyncio.Event, supervisor: Supervisor | None = None
) -> None:
    """Runs until `stop` is set; `ready` is set once every listing has had a heartbeat. Containers keep running.

    Retries through outages of the node, the API and the engine. Raises HostConfigurationError; at startup MachineFault
    if the engine is missing, UnknownHost, and network errors.
    """
    raise_descriptor_limit()
    async with AsyncExitStack() as stack:
        orders_api = await stack.enter_async_context(SealedOrderApi(settings.api_url))
        market = await stack.enter_async_context(
            Market.connect(
                settings.rpc_url,
                settings.wallet,
                ws_url=settings.ws_url,
                program_id=settings.program_id,
                rpc_rate=settings.rpc_rate,
            )
        )
        settings.blocked.require_readable()
        await _require_frequent_heartbeats(settings.pace, market)
        prepared = await stack.enter_async_context(prepare(settings, market))
        listed = ListedWatch(
            market, settings.owner or market.address, prepared.known, prepared.listings, prepared.shared
        )
        watches = {
            each.listing: HealthWatch(
                each.listing, each.gpus, listed, DiskRoom(prepared.engine.disk_roots, each.limits.disk_bytes or 0)
            )
            for each in prepared.machines
        }
        for watch in watches.values():
            await watch.look()
        deadlines = Deadlines(settings.state_dir, settings.engine_url)
        kept = KeptWorkspaces(settings.state_dir, settings.keep_bytes)
        machines = {
            each.listing: DockerMachine(
                prepared.engine,
                each,
                settings.seal_key,
                prepared.identity,
                deadlines,
                kept,
                watches[each.listing],
            )
            for each in prepared.machines
        }
        for machine in machines.values():
            stack.push_async_callback(machine.close)
        orders = SealedOrderReader(orders_api, settings.seal_key, blocked=settings.blocked)
        metrics = HostMetrics()
        agent = HostAgent(
            market,
            settings.ws_url,
            lambda listing, _: machines.get(listing),
            orders,
            owner=settings.owner,
            pace=settings.pace,
            supervisor=supervisor,
            metrics=metrics,
            seen=listed.tell,
            shared=prepared.shared,
            offering=Offering(market, settings.state_dir) if settings.owner in (None, market.address) else None,
        )
        named = [name for each in prepared.machines for name in each.gpus]
        gauges = MachineGauges(
            metrics, prepared.engine.disk_roots, ALL_GPUS if ALL_GPUS[0] in named else named, agent.states
        )
        stack.enter_context(serve_metrics([metrics.registry], settings.metrics_host, settings.metrics_port))
        log.info("host_started", host=str(agent.address), listings=[str(listing) for listing in machines])
        watches_of_machine = FirewallWatch(settings.egress).run(), gauges.run(), prepared.left.run(machines)
        await run_until(stop, run_all(agent.run(ready), *watches_of_machine))
        log.info("host_stopped", host=str(agent.address))


async def _require_frequent_heartbeats(pace: HostPace, market: Market) -> None:
    silence = (await market.reads.market()).offline_after
    most = int(silence * SILENT_SHARE)
    if pace.interval(silence) > silence * SILENT_SHARE:
        raise HostConfigurationError(
            f"A host may be marked as silent after {silence} s, and one heartbeat may be lost",
            f"Set --heartbeat to {most} s or less, or omit it.",
        )
