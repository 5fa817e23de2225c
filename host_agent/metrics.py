"""A host agent's Prometheus metrics."""

from __future__ import annotations

import asyncio
import math
from collections import Counter as Count
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge
from solders.pubkey import Pubkey

from anchor_client.generated.constants import SECONDS_PER_HOUR, USD
from host_agent.detect.health import gpu_health
from host_agent.docker.disk_use import free_bytes, least_free
from host_agent.docker.inodes import free_inodes
from host_agent.errors import MachineFault

NAMESPACE: Final = "gpu_market_host"
LOOK_SECONDS: Final = 60.0
"""Interval between looks at the machine."""
IDLE, RENTED, UNFIT, FAILED = STATES = ("idle", "rented", "unfit", "failed")
"""States of a listing: unfit has faults and takes no orders; failed cannot be wiped or reached."""

log = structlog.get_logger(__name__)


class HostMetrics:
    """Counters and gauges of one agent, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, namespace=NAMESPACE, registry=self.registry)
        gauge = partial(Gauge, namespace=NAMESPACE, registry=self.registry)
        self.heartbeat_at = gauge("heartbeat_timestamp_seconds", "Last heartbeat on chain, unix seconds")
        self.heartbeats_missed = counter("heartbeats_missed", "Heartbeats that could not be sent when they were due")
        self.sol_days = gauge("sol_days_left", "Days for which the wallet's SOL lasts at most fees")
        self.earned = counter("earned_usd", "Dollars of settled time, at the rentals' prices")
        self.listings = gauge("listings", "Listings by state", ["state"])
        self.disk_free = gauge("disk_free_bytes", "Free bytes where the engine keeps its data")
        self.inodes_free = gauge("disk_free_inodes", "Free inodes where the engine keeps its data; NaN if not limited")
        self.gpus = gauge("gpus", "GPUs that their driver answers for")
        self.temperature = gauge("gpu_celsius", "Temperature of a GPU", ["gpu"])
        self.xids = gauge("gpu_xid_errors", "Severe Xid errors of a GPU in the last day", ["gpu"])
        self.faults = gauge("gpu_faults", "Reasons for which a GPU should not be rented", ["gpu"])
        for state in STATES:
            self.listings.labels(state)
        # Neither late nor short of SOL before anything is known.
        self.heartbeat_at.set_to_current_time()
        self.sol_days.set(math.nan)
        self.inodes_free.set(math.nan)

    def tell_settled(self, rate_usd: int, seconds: int) -> None:
        """Counts seconds paid at `rate_usd` micro-USD an hour."""
        self.earned.inc(rate_usd * seconds / (SECONDS_PER_HOUR * USD))


class MachineGauges:
    """Looks at a machine from time to time, rented or not, for its metrics."""

    def __init__(
        self,
        metrics: HostMetrics,
        roots: Callable[[], Awaitable[Sequence[Path]]],
        gpus: Sequence[str],
        states: Callable[[], Mapping[Pubkey, str]],
    ) -> None:
        self._metrics = metrics
        self._roots = roots
        self._gpus = gpus
        self._states = states

    async def run(self) -> None:
        """Looks until cancelled."""
        while True:
            try:
                await self.look()
            except MachineFault as error:
                log.warning("machine_not_measured", error=error.message)
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Sets every gauge of the machine. MachineFault."""
        metrics = self._metrics
        counted = Count(self._states().values())
        for state in STATES:
            metrics.listings.labels(state).set(counted[state])
        roots = await self._roots()
        metrics.disk_free.set(least_free(free_bytes, roots) or 0)
        inodes = least_free(free_inodes, roots)
        metrics.inodes_free.set(math.nan if inodes is None else inodes)
        if not self._gpus:
            return
        found = (await gpu_health(self._gpus)).gpus
        metrics.gpus.set(len(found))
        for each in (metrics.temperature, metrics.xids, metrics.faults):
            each.clear()
        for gpu in found:
            degrees = gpu.number("temperature.gpu")
            if degrees is not None:
                metrics.temperature.labels(gpu.bus).set(degrees)
            metrics.xids.labels(gpu.bus).set(len(gpu.xids))
            metrics.faults.labels(gpu.bus).set(len(gpu.faults))
