"""Room on the disk for the next order: a disk that fills takes no new ones, whoever fills it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import structlog

from host_agent.docker.disk_use import free_bytes, least_free
from host_agent.docker.inodes import free_inodes, inode_allowance
from host_agent.images.rules import GB

LEAST_PERCENT: Final = 5
"""Share of the listed disk, and of its inodes, that has to be free."""

log = structlog.get_logger(__name__)


class DiskRoom:
    """The faults of the disk behind a listing, as last seen. Tenants that run are left alone."""

    def __init__(self, roots: Callable[[], Awaitable[Sequence[Path]]], disk_bytes: int) -> None:
        self.faults: Sequence[str] = ()
        self._roots = roots
        self._disk_bytes = disk_bytes

    async def look(self) -> None:
        """Looks again; logs what has changed. MachineFault."""
        roots = await self._roots()
        faults = []
        least = self._disk_bytes * LEAST_PERCENT // 100
        free = least_free(free_bytes, roots)
        if free is not None and free < least:
            faults.append(f"The disk has {free / GB:.1f} GB free, and an order needs at least {least / GB:.1f}")
        inodes = least_free(free_inodes, roots)
        share = inode_allowance(roots, least)
        if inodes is not None and share is not None and inodes < share:
            faults.append(f"The disk has {inodes} inodes free, and an order needs at least {share}")
        if faults and not self.faults:
            log.error(
                "disk_low",
                faults=faults,
                remedy="Free disk space (`docker system df` shows images and volumes). Until then it takes no orders.",
            )
        elif self.faults and not faults:
            log.info("disk_has_room")
        self.faults = faults
