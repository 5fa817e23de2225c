"""Disk use of containers on their machine: by file sizes, as counted by the engine, and by files without a name."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from aiodocker import Docker, DockerError
from aiohttp import ClientTimeout

from host_agent.docker.failures import NOT_THERE, engine_errors
from host_agent.docker.inodes import count_inodes, free_inodes, inode_allowance
from host_agent.docker.open_files import unlinked_bytes
from host_agent.docker.volumes import Volume, Volumes
from host_agent.errors import MachineFault

FROM_ENGINE: Final = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files from the engine that a container may write to, outside its own layer."""
UPPER: Final = "upperdir="
"""Mount option with the folder of a container's own layer."""
STAT: Final = "X-Docker-Container-Path-Stat"
_WHOLE: Final = ClientTimeout()
"""No time limit."""

NEARLY_FULL: Final = 10**9
"""Free bytes below which a disk may have been full between two looks at it."""
NEARLY_NO_INODES: Final = 100_000
"""The same of free inodes."""


class LowestFree:
    """The least that was free of an engine's directories: what fills one is removed before the engine reports it."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._lowest: int | None = None
        self._lowest_inodes: int | None = None
        self._bytes_at_first = self.free()
        self._inodes_at_first = free_inodes(roots)

    def free(self) -> int | None:
        """Free bytes now, of all disks together; None if no directory is visible from here."""
        for root in self._roots:
            self._lowest = _least(self._lowest, free_bytes([root]))
            self._lowest_inodes = _least(self._lowest_inodes, free_inodes([root]))
        return free_bytes(self._roots)

    @property
    def is_full(self) -> bool | None:
        """True if one disk was full, or nearly, of bytes or of inodes; None if unknown."""
        if self._lowest is None:
            return None
        has_no_inodes = self._lowest_inodes is not None and self._lowest_inodes < NEARLY_NO_INODES
        return self._lowest < NEARLY_FULL or has_no_inodes

    def had_room(self, size: int) -> bool:
        """True if an image of `size` bytes fitted at first, with as many files as its share of the disk has inodes."""
        needed = inode_allowance(self._roots, size)
        has_inodes = self._inodes_at_first is None or needed is None or self._inodes_at_first > needed
        return self._bytes_at_first is not None and self._bytes_at_first > size and has_inodes


class DiskUse:
    """Measures containers, one at a time: some engines refuse two at once. Every method raises MachineFault."""

    def __init__(self, docker: Docker) -> None:
        self._docker = docker
        self._measuring = asyncio.Lock()

    async def volume(self, name: str) -> int | None:
        """The bytes of all files of a volume, or those taken of one with a limit, which the engine does not measure;
        None while that is not mounted.
        """
        found = (await self._measured("type=volume"))[1].get(name)
        if found is not None:
            return int(found["UsageData"]["Size"])
        volume = await Volumes(self._docker).find(name)
        if volume is None:
            raise MachineFault(f"The volume {name} is gone")
        return await asyncio.to_thread(taken_bytes, volume)

    async def unlimited(self, container: str, *, has_quota: bool) -> int:
        """Bytes of a container, running or not, outside any quota: its own layer and its volumes, unless they have one,
        FROM_ENGINE, and files that have no name and that its processes hold. 0 once it is gone.
        """
        containers, volumes = await self._measured("type=container&type=volume")
        shown = containers.get(container)
        if shown is None:
            return 0
        mounted = [volumes[mount["Name"]] for mount in shown["Mounts"] or () if mount.get("Name") in volumes]
        layer = 0 if has_quota else int(shown.get("SizeRw") or 0)
        held = sum(int(each["UsageData"]["Size"]) for each in mounted if "size" not in (each.get("Options") or {}))
        given = sum([await self._size(container, path) for path in FROM_ENGINE])
        apart = _own_devices(shown["Mounts"] or ())
        return layer + held + given + await asyncio.to_thread(unlinked_bytes, container, apart=apart)

    async def inodes(self, container: str, most: int) -> int:
        """Files and folders of a container's own layer and its volumes, counted until there are more than `most`."""
        with engine_errors():
            try:
                shown = await self._docker.containers.container(container).show()
            except DockerError as error:
                if error.status != NOT_THERE:
                    raise
                return 0
        return await asyncio.to_thread(count_inodes, _folders(shown), most)

    async def _measured(self, kinds: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Containers by id, and volumes by name."""
        async with self._measuring:
            with engine_errors():
                found = await self._docker._query_json(f"system/df?{kinds}", timeout=_WHOLE)
        containers = found.get("Containers") or ()
        volumes = found.get("Volumes") or ()
        return {each["Id"]: each for each in containers}, {each["Name"]: each for each in volumes}

    async def _size(self, container: str, path: str) -> int:
        with engine_errors():
            try:
                async with (
                    self._docker._query(f"containers/{container}/archive", "HEAD", params={"path": path}) as response,
                    response,
                ):
                    return int(json.loads(base64.b64decode(response.headers[STAT]))["size"])
            except DockerError as error:
                if error.status != NOT_THERE:
                    raise
                return 0


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


def free_bytes(roots: Iterable[Path]) -> int | None:
    """Free bytes of an engine's data directories, each disk once; None if none is visible from here."""
    free: dict[int, int] = {}
    for root in roots:
        try:
            found = os.statvfs(root)
            # Not f_bavail: the engine runs as root, which may use the reserved blocks too.
            free[os.stat(root).st_dev] = found.f_bfree * found.f_frsize
        except OSError:
            continue
    return sum(free.values()) if free else None


def least_free(measure: Callable[[Sequence[Path]], int | None], roots: Iterable[Path]) -> int | None:
    """The least that is free of an engine's directories, each of which may be on a disk of its own."""
    return min((free for root in roots if (free := measure([root])) is not None), default=None)


def taken_bytes(volume: Volume) -> int | None:
    """Bytes taken of a volume's own file system or quota; None while it is not mounted, or not visible from here."""
    try:
        found = os.statvfs(volume.place)
    except OSError:
        return None
    # The folder of a quota tells the quota's size; any other size is the whole disk's.
    has_quota = found.f_blocks * found.f_frsize <= int(volume.options.get("size", 0))
    if not has_quota and not os.path.ismount(volume.place):
        return None
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _own_devices(mounts: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Devices of a container's volumes that are file systems of their own, and limit themselves."""
    devices = set[int]()
    for mount in mounts:
        if mount["Type"] == "volume" and os.path.ismount(mount["Source"]):
            with suppress(OSError):
                devices.add(os.stat(mount["Source"]).st_dev)
    return frozenset(devices)


def _folders(shown: Mapping[str, Any]) -> Sequence[Path]:
    """Folders on the machine with a container's own layer and its volumes, unless they are file systems."""
    layer = ((shown.get("GraphDriver") or {}).get("Data") or {}).get("UpperDir") or _upper_folder(shown["State"]["Pid"])
    volumes = [mount["Source"] for mount in shown["Mounts"] or () if mount["Type"] == "volume"]
    return [Path(each) for each in (layer, *volumes) if each and not os.path.ismount(each)]


def _upper_folder(process: int) -> str | None:
    """The folder of the own layer of a running container, of which the engine does not tell."""
    try:
        lines = Path(f"/proc/{process}/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    root = next((line for line in lines if line.split()[4] == "/"), "")
    options = root.rpartition(" ")[2].split(",")
    return next((each.removeprefix(UPPER) for each in options if each.startswith(UPPER + "/")), None)
