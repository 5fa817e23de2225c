"""Watches the health of a listing's machine while no tenant has it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import structlog
from solders.pubkey import Pubkey

from host_agent.detect.health import gpu_health
from host_agent.disk.room import DiskRoom
from host_agent.listings.listed_watch import LOOK_SECONDS, ListedWatch

log = structlog.get_logger(__name__)


class HealthWatch:
    """The faults of a listing's GPUs and of its disk, as last seen, and what its machine has less than is listed; it
    takes no orders while there are any.
    """

    def __init__(
        self,
        listing: Pubkey,
        gpus: Sequence[str],
        listed: ListedWatch | None = None,
        disk: DiskRoom | None = None,
        interval: float = LOOK_SECONDS,
    ) -> None:
        self._faults: Sequence[str] = ()
        self._gpus = gpus
        self._listed = listed
        self._disk = disk
        self._interval = interval
        self._looked_at: float | None = None
        self._log = log.bind(listing=str(listing))

    @property
    def faults(self) -> Sequence[str]:
        """Reasons for which the machine takes no orders."""
        less = () if self._listed is None else self._listed.shortfalls
        return [*less, *(() if self._disk is None else self._disk.faults), *self._faults]

    async def look(self) -> None:
        """Looks again if the last look is long ago; logs what has changed. MachineFault, and errors of the market."""
        if self._listed is not None:
            await self._listed.look()
        if self._disk is not None:
            await self._disk.look()
        now = time.monotonic()
        if not self._gpus or (self._looked_at is not None and now - self._looked_at < self._interval):
            return
        health = await gpu_health(self._gpus)
        if self._looked_at is None and health.gpus and not health.reads_log:
            self._log.warning(
                "xid_errors_unknown", remedy="Let the agent read /dev/kmsg: run it as root, or with CAP_SYSLOG."
            )
        self._looked_at = now
        if health.faults and health.faults != self._faults:
            self._log.error("gpus_unhealthy", faults=health.faults)
        elif self._faults and not health.faults:
            self._log.info("gpus_healthy")
        self._faults = health.faults
