"""A tenant's disk, as far as no quota holds it: when it is measured, and what happens when it is too much."""

from __future__ import annotations

import asyncio
import mmap
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
from solders.pubkey import Pubkey

from host_agent.disk import room as disk_room
from host_agent.disk.room import DiskRoom
from host_agent.docker import disk_guard, disk_use
from host_agent.docker.disk_guard import DiskGuard
from host_agent.docker.disk_use import NEARLY_FULL, NEARLY_NO_INODES, LowestFree, free_bytes
from host_agent.docker.engine import Engine, Running
from host_agent.docker.inodes import DEEPEST, count_inodes, free_inodes, inode_allowance
from host_agent.docker.open_files import unlinked_bytes
from host_agent.errors import MachineFault
from host_agent.images.rules import GB
from host_agent.listings.health_watch import HealthWatch
from host_agent.settings.machine import ContainerLimits
from tests.processes.patience import PATIENCE

CONTAINER = Running("id", "listing", "tenant", {}, "image", "running", "Up")
MOST = 100
MOST_FILES = 10


@dataclass
class Disk:
    """An engine with one container, on a disk of its own."""

    used: int = 0
    free: int = 1_000
    failures: int = 0
    files: int = 0
    free_inodes: int = 1_000
    counted: list[int] = field(default_factory=list)
    measured: list[int] = field(default_factory=list)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def disk(self) -> Disk:
        return self

    async def disk_roots(self) -> list[Path]:
        return [Path("/data")]

    async def inodes(self, container: str, most: int) -> int:
        self.counted.append(self.files)
        return min(self.files, most + 1)

    async def unlimited(self, container: str, *, has_quota: bool) -> int:
        if self.failures:
            self.failures -= 1
            raise MachineFault("busy")
        self.measured.append(self.used)
        self.changed.set()
        return self.used

    async def stop(self, container: Running) -> None:
        self.stopped.set()

    def touch(self, files: int) -> None:
        self.files, self.free_inodes = self.files + files, self.free_inodes - files

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
    monkeypatch.setattr(disk_guard, "free_bytes", lambda roots: made.free)
    monkeypatch.setattr(disk_guard, "free_inodes", lambda roots: made.free_inodes)
    monkeypatch.setattr(disk_guard, "inode_allowance", lambda roots, size: MOST_FILES)
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


async def test_guard__the_disk_loses_the_inodes_that_are_left__counts_and_stops_who_has_too_many(
    disk: Disk, guard: DiskGuard
) -> None:
    await disk.is_measured()
    disk.free_inodes -= MOST_FILES
    await disk.is_measured()
    assert not disk.stopped.is_set() and guard.reason is None
    disk.touch(MOST_FILES // 2)
    disk.touch(MOST_FILES // 2 + 1)
    async with asyncio.timeout(PATIENCE):
        await disk.stopped.wait()
    assert disk.counted[0] == 0 and disk.counted[-1] == MOST_FILES + 1
    assert guard.reason is not None and "more than 10 files" in guard.reason and not await guard.admits()


async def test_admits__taken_too_much_before_the_agent_came__no(disk: Disk) -> None:
    disk.used = MOST + 1
    assert not await guard_of(disk).admits()
    unlimited = guard_of(disk, disk_bytes=None)
    unlimited.begin()
    assert await unlimited.admits()


def test_free__of_this_disk_and_of_none(tmp_path: Path) -> None:
    both = free_bytes([tmp_path, tmp_path, tmp_path / "none"])
    assert both is not None and both > 0
    assert free_bytes([tmp_path / "none"]) is None


def test_inodes__of_this_disk__are_shared_by_size(tmp_path: Path) -> None:
    found = os.statvfs(tmp_path)
    roots = [tmp_path, tmp_path / "none"]
    assert inode_allowance(roots, found.f_blocks * found.f_frsize) == (found.f_files or None)
    assert inode_allowance([tmp_path / "none"], 1) is None and free_inodes([tmp_path / "none"]) is None


def test_count__files_folders_and_links__each_once_and_none_elsewhere(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "deep").mkdir(parents=True)
    outside.mkdir()
    for folder in (inside, inside / "deep", outside):
        (folder / "file").touch()
    (inside / "link").symlink_to(outside)
    assert count_inodes([inside], 100) == 4
    assert count_inodes([inside, outside, tmp_path / "none"], 100) == 5
    assert count_inodes([inside], 2) == 3


def test_count__nested_without_end__too_many(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(DEEPEST + 2):
        folder = folder / "d"
        folder.mkdir()
    assert count_inodes([tmp_path], 10**6) > 10**6


def test_unlinked__open_mapped_and_in_memory__only_the_disks_count(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    (proc / "7").mkdir(parents=True)
    (proc / "8").mkdir()
    (proc / "7" / "cgroup").write_text("0::/docker/mine\n")
    (proc / "8" / "cgroup").write_text("0::/docker/another\n")
    for name in ("fd", "map_files", "mountinfo"):
        for process in ("7", "8"):
            (proc / process / name).symlink_to(f"/proc/self/{name}")
    before = unlinked_bytes("mine", proc)
    data = os.urandom(2**20)
    with (tmp_path / "open").open("wb") as opened, (tmp_path / "mapped").open("w+b") as mapped:
        for file in (opened, mapped):
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        memory = os.memfd_create("memory")
        os.write(memory, data)
        assert unlinked_bytes("mine", proc) == before
        again = os.dup(opened.fileno())
        (tmp_path / "open").unlink()
        assert unlinked_bytes("mine", proc) - before == len(data)
        with mmap.mmap(mapped.fileno(), 0):
            (tmp_path / "mapped").unlink()
            mapped.close()
            expected = 2 * len(data) if os.geteuid() == 0 else len(data)
            assert unlinked_bytes("mine", proc) - before == expected
        assert unlinked_bytes("nobody", proc) == 0
        os.close(again)
        os.close(memory)
    assert unlinked_bytes("mine", proc) == before


async def test_room__less_than_a_share_of_an_order__no_orders_until_there_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    free = {"bytes": 100, "inodes": 100}
    monkeypatch.setattr(disk_room, "free_bytes", lambda roots: free["bytes"])
    monkeypatch.setattr(disk_room, "free_inodes", lambda roots: free["inodes"])
    monkeypatch.setattr(disk_room, "inode_allowance", lambda roots, size: size)

    async def roots() -> list[Path]:
        return [tmp_path]

    room = DiskRoom(roots, 100 * 100 // disk_room.LEAST_PERCENT)
    watch = HealthWatch(Pubkey.new_unique(), (), disk=room)
    await watch.look()
    assert not watch.faults
    for what in free:
        free[what] = 99
        await watch.look()
        assert len(watch.faults) == 1
        free[what] = 100
        await watch.look()
        assert not watch.faults


def test_lowest_free__one_of_two_disks_was_nearly_full__is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    free = {Path("/a"): 5 * NEARLY_FULL, Path("/b"): NEARLY_FULL}
    monkeypatch.setattr(disk_use, "free_bytes", lambda roots: sum(free[root] for root in roots))
    monkeypatch.setattr(disk_use, "free_inodes", lambda roots: None)
    disk = LowestFree([*free])
    assert disk.free() == 6 * NEARLY_FULL and disk.is_full is False
    free[Path("/b")] -= 1
    disk.free()
    free[Path("/b")] += NEARLY_FULL
    assert disk.free() == 7 * NEARLY_FULL - 1 and disk.is_full is True


def test_lowest_free__no_directory_is_visible__is_unknown() -> None:
    disk = LowestFree([Path("/no/such/folder")])
    assert disk.is_full is None and not disk.had_room(0)


def test_lowest_free__one_of_two_disks_had_few_inodes__is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    inodes = {Path("/a"): 5 * NEARLY_NO_INODES, Path("/b"): NEARLY_NO_INODES}
    monkeypatch.setattr(disk_use, "free_bytes", lambda roots: 9 * NEARLY_FULL)
    monkeypatch.setattr(disk_use, "free_inodes", lambda roots: sum(inodes[root] for root in roots))
    disk = LowestFree([*inodes])
    assert disk.is_full is False
    inodes[Path("/b")] -= 1
    disk.free()
    inodes[Path("/b")] += 1
    disk.free()
    assert disk.is_full is True


@pytest.mark.parametrize(
    ("size", "share", "had"), [(99, 99, True), (100, 99, False), (99, 100, False), (99, None, True)]
)
def test_lowest_free__size__had_room_by_bytes_and_by_inodes_at_first(
    monkeypatch: pytest.MonkeyPatch, size: int, share: int | None, had: bool
) -> None:
    free = {"bytes": 100, "inodes": 100}
    monkeypatch.setattr(disk_use, "free_bytes", lambda roots: free["bytes"])
    monkeypatch.setattr(disk_use, "free_inodes", lambda roots: free["inodes"])
    monkeypatch.setattr(disk_use, "inode_allowance", lambda roots, size: share)
    disk = LowestFree([Path("/a")])
    free["bytes"] = free["inodes"] = 0
    assert disk.had_room(size) is had


async def test_room__one_of_two_disks_is_full__takes_no_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    docker, containerd = Path("/docker"), Path("/containerd")
    free = {docker: (800 * GB, 9_000_000), containerd: (800 * GB, 9_000_000)}
    monkeypatch.setattr(disk_room, "free_bytes", lambda roots: sum(free[root][0] for root in roots))
    monkeypatch.setattr(disk_room, "free_inodes", lambda roots: sum(free[root][1] for root in roots))
    monkeypatch.setattr(disk_room, "inode_allowance", lambda roots, least: 1_000)
    room = DiskRoom(AsyncMock(return_value=[docker, containerd]), 500 * GB)
    await room.look()
    assert room.faults == []
    for full in ((0, 9_000_000), (800 * GB, 0)):
        free[containerd] = full
        await room.look()
        [fault] = room.faults
        assert fault.startswith(f"The disk has {'0.0 GB' if not full[0] else '0 inodes'} free")
