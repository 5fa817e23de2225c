"""A tenant's disk, as far as no quota holds it: when it is measured, and what happens when it is too much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from host_agent.docker import disk_guard
from host_agent.docker.disk_guard import DiskGuard
from host_agent.docker.disk_use import free_bytes
from host_agent.docker.engine import Engine, Running
from host_agent.errors import MachineFault
from host_agent.settings import ContainerLimits
from tests.processes.patience import PATIENCE

CONTAINER = Running("id", "listing", "tenant", {}, "image", "running", "Up")
MOST = 100


@dataclass
class Disk:
    """An engine with one container, on a disk of its own."""

    used: int = 0
    free: int = 1_000
    failures: int = 0
    measured: list[int] = field(default_factory=list)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def disk(self) -> Disk:
        return self

    async def data_root(self) -> Path:
        return Path("/data")

    async def unlimited(self, container: str, *, has_quota: bool) -> int:
        if self.failures:
            self.failures -= 1
            raise MachineFault("busy")
        self.measured.append(self.used)
        self.changed.set()
        return self.used

    async def stop(self, container: Running) -> None:
        self.stopped.set()

    def write(self, size: int) -> None:
        self.used, self.free = self.used + size, self.free - size

    async def is_measured(self) -> None:
        """Waits for a measurement since the last wait."""
        async with asyncio.timeout(PATIENCE):
            await self.changed.wait()
        self.changed.clear()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    made = Disk()
    monkeypatch.setattr(disk_guard, "free_bytes", lambda root: made.free)
    monkeypatch.setattr(disk_guard, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(disk_guard, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(disk_guard, "LOOK_SECONDS", 10 * PATIENCE)
    return made


def guard_of(disk: Disk, **limits: Any) -> DiskGuard:
    return DiskGuard(cast(Engine, disk), CONTAINER, ContainerLimits(**{"disk_bytes": MOST, **limits}))


@pytest.fixture
async def guard(disk: Disk) -> AsyncIterator[DiskGuard]:
    made = guard_of(disk)
    made.begin()
    yield made
    await made.end()


async def test_guard__the_disk_loses_what_is_left__measures_and_stops_what_is_over(
    disk: Disk, guard: DiskGuard
) -> None:
    await disk.is_measured()
    disk.write(MOST)
    await disk.is_measured()
    assert not disk.stopped.is_set() and guard.reason is None
    disk.write(1)
    async with asyncio.timeout(PATIENCE):
        await disk.stopped.wait()
    assert disk.measured[0] == 0 and set(disk.measured[1:-1]) == {MOST} and disk.measured[-1] == MOST + 1
    assert guard.reason is not None and not await guard.admits()
    guard.begin()


async def test_guard__somebody_elses_data__are_no_reason(disk: Disk, guard: DiskGuard) -> None:
    await disk.is_measured()
    disk.free -= MOST
    await disk.is_measured()
    assert guard.reason is None and await guard.admits()


async def test_guard__cannot_measure__tries_again(disk: Disk) -> None:
    disk.failures, disk.used = 2, MOST + 1
    guard = guard_of(disk)
    guard.begin()
    async with asyncio.timeout(PATIENCE):
        await disk.stopped.wait()
    assert disk.failures == 0
    await guard.end()


async def test_admits__taken_too_much_before_the_agent_came__no(disk: Disk) -> None:
    disk.used = MOST + 1
    assert not await guard_of(disk).admits()
    unlimited = guard_of(disk, disk_bytes=None)
    unlimited.begin()
    assert await unlimited.admits()


def test_free__of_this_disk_and_of_none(tmp_path: Path) -> None:
    assert (free_bytes(tmp_path) or 0) > 0
    assert free_bytes(tmp_path / "none") is None
