"""Watches the health of a listing's GPUs while no tenant has them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

import structlog
from solders.pubkey import Pubkey

from host_agent.detect.health import gpu_health

LOOK_SECONDS: Final = 300.0

log = structlog.get_logger(__name__)


class HealthWatch:
    """The faults of a listing's GPUs, as last seen; the machine takes no orders while there are any."""

    def __init__(self, listing: Pubkey, gpus: Sequence[str], interval: float = LOOK_SECONDS) -> None:
        self.faults: Sequence[str] = ()
        self._gpus = gpus
        self._interval = interval
        self._looked_at: float | None = None
        self._log = log.bind(listing=str(listing))

    async def look(self) -> None:
        """Looks again if the last look is long ago; logs what has changed."""
        now = time.monotonic()
        if not self._gpus or (self._looked_at is not None and now - self._looked_at < self._interval):
            return
        health = await gpu_health(self._gpus)
        if self._looked_at is None and health.gpus and not health.reads_log:
            self._log.warning(
                "xid_errors_unknown", remedy="Let the agent read /dev/kmsg: run it as root, or with CAP_SYSLOG."
            )
        self._looked_at = now
        if health.faults and health.faults != self.faults:
            self._log.error("gpus_unhealthy", faults=health.faults)
        elif self.faults and not health.faults:
            self._log.info("gpus_healthy")
        self.faults = health.faults
