"""Stops a tenant's container that exceeds the listed disk, where no quota prevents it.

An engine on ext4 limits nothing, and one with quotas neither the volumes of an image nor files such as /etc/hosts. So
the agent measures: once the disk has shrunk by the container's remaining allowance, and periodically. Inodes are
limited by no quota: a container may have as many as a disk of the listed size would.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from host_agent.docker.disk_use import free_bytes
from host_agent.docker.engine import Engine, Running
from host_agent.docker.inodes import DEEPEST, free_inodes, inode_allowance
from host_agent.errors import MachineFault
from host_agent.images.rules import GB
from host_agent.settings.machine import ContainerLimits

POLL_SECONDS: Final = 1.0
"""Interval between checks of the disk's free space."""
LOOK_SECONDS: Final = 60.0
"""Interval between periodic measurements."""
COUNT_SECONDS: Final = 600.0
"""Interval between periodic counts of inodes, which read every folder."""
RETRY_SECONDS: Final = 5.0

Tell = Callable[[Running, str], Awaitable[None]]
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FileCount:
    """Files that a count left a container; None where nothing limits them."""

    counted_at: float
    left: int | None = None
    free: int | None = None
    """The disk's free inodes before the count."""

    def is_due(self, roots: Sequence[Path]) -> bool:
        """True if the count is old, or the disk has lost as many inodes as were left."""
        if time.monotonic() - self.counted_at >= COUNT_SECONDS:
            return True
        now = free_inodes(roots)
        return None not in (self.left, self.free, now) and (self.free or 0) - (now or 0) >= (self.left or 0)


class DiskGuard:
    """Guards the disk from one container; without a limit it does nothing."""

    def __init__(self, engine: Engine, container: Running, limits: ContainerLimits, tell: Tell | None = None) -> None:
        self.container = container
        self.reason: str | None = None
        """The reason why the container may not run; None while it may."""
        self._engine = engine
        self._limits = limits
        self._tell = tell
        """Told the reason before the container is stopped."""
        self._watch: asyncio.Task[None] | None = None
        self._files: FileCount | None = None

    async def admits(self) -> bool:
        """True if the stopped container may run again. MachineFault."""
        if self.reason is None and self._limits.disk_bytes is not None:
            await self._measure(self._limits.disk_bytes)
        return self.reason is None

    def begin(self) -> None:
        """Watches the container until `end`."""
        if self._limits.disk_bytes is None:
            return
        if self._watch is None:
            self._watch = asyncio.create_task(self._guard(self._limits.disk_bytes))
        elif self._watch.done():
            # It has stopped the container, or broken, which this raises.
            self._watch.result()

    async def end(self) -> None:
        """Stops watching."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])

    async def _guard(self, most: int) -> None:
        while True:
            try:
                roots = await self._engine.disk_roots()
                free = free_bytes(roots)
                begun = time.monotonic()
                left = await self._measure(most)
                if self.reason is not None:
                    if self._tell is not None:
                        await self._tell(self.container, self.reason)
                    await self._engine.stop(self.container)
                    log.warning("tenant_stopped_for_disk", listing=self.container.listing, reason=self.reason)
                    return
                await self._until_due(roots, free, left, time.monotonic() - begun)
            except MachineFault as error:
                log.warning("disk_not_measured", listing=self.container.listing, error=error.message)
                await asyncio.sleep(RETRY_SECONDS)

    async def _measure(self, most: int) -> int:
        """Bytes that the container may still take; sets the `reason` if it has taken more of anything."""
        used = await self._engine.disk.unlimited(self.container.id, has_quota=self._limits.has_disk_quota)
        if used > most:
            had = f"{used / GB:.2f}"
            may = f"{most / GB:.2f}"
            self.reason = f"The job's container was stopped: it uses {had} GB of disk, and its limit is {may}"
        else:
            await self._count_files(most)
        return most - used

    async def _count_files(self, most: int) -> None:
        """Counts the container's files, if that is due; sets the `reason` if a disk of `most` bytes takes fewer."""
        roots = await self._engine.disk_roots()
        if self._files is not None and not self._files.is_due(roots):
            return
        may = inode_allowance(roots, most)
        if may is None:
            self._files = FileCount(time.monotonic())
            return
        free = free_inodes(roots)
        used = await self._engine.disk.inodes(self.container.id, may)
        self._files = FileCount(time.monotonic(), may - used, free)
        if used > may:
            self.reason = (
                f"The job's container was stopped: it has more than {may} files, the limit for its disk, or nests "
                f"folders more than {DEEPEST} deep"
            )

    async def _until_due(self, roots: Sequence[Path], free: int | None, left: int, rest: float) -> None:
        """Waits until the disk has `left` bytes less than `free`, or LOOK_SECONDS, but at least `rest`: measuring takes
        at most half of the time.
        """
        begun = time.monotonic()
        await asyncio.sleep(rest)
        while time.monotonic() - begun < LOOK_SECONDS:
            now = free_bytes(roots)
            if free is not None and now is not None and free - now >= left:
                return
            if self._files is not None and self._files.is_due(roots):
                return
            await asyncio.sleep(POLL_SECONDS)
