"""`python -m host_agent.watchdog STATE_DIR`: stops tenants whose paid time has ended if the agent is dead. The agent
starts it. It exits when no deadline is left.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Final

import structlog

from anchor_client.service.lock_file import locked
from host_agent.deadlines import LOCK, LOG, AlreadyWatched, Deadlines
from host_agent.docker.container import TENANT
from host_agent.docker.engine import Engine
from host_agent.errors import MachineFault
from host_agent.log_file import log_to

LOOK_SECONDS: Final = 5.0
"""Interval between checks of the deadlines, which the agent may move."""

log = structlog.get_logger(__name__)


async def watch(deadlines: Deadlines) -> None:
    """Stops due tenants, until no deadline is left. AlreadyWatched."""
    with locked(deadlines.directory / LOCK, AlreadyWatched()):
        while ends := deadlines.all():
            now = time.time()
            for listing in [listing for listing, at in ends.items() if at <= now]:
                try:
                    async with Engine.connect() as engine:
                        container = await engine.container(listing, TENANT)
                        if container is not None:
                            await engine.stop(container)
                            log.warning("tenant_stopped", listing=str(listing), paid_until=int(ends[listing]))
                except MachineFault as error:
                    log.error("tenant_not_stopped", listing=str(listing), error=error.message)
                else:
                    deadlines.drop(listing)
            ahead = [at - now for at in ends.values() if at > now]
            await asyncio.sleep(min([LOOK_SECONDS, *ahead]))


if __name__ == "__main__":
    state_dir = Path(sys.argv[1])
    log_to(state_dir / LOG)
    try:
        asyncio.run(watch(Deadlines(state_dir)))
    except AlreadyWatched:
        log.info("another_watches")
