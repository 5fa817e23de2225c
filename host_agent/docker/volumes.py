"""Volumes of a Docker engine, and files of containers as tar streams."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path
from typing import Any, Final

from aiodocker import Docker, DockerError
from aiohttp import ClientTimeout

from host_agent.docker.failures import NOT_THERE, already_gone, engine_errors
from host_agent.errors import MachineFault

PIECE: Final = 2**18
END_OF_TAR: Final = bytes(1_024)
NO_QUOTA: Final = "no quota support"
"""Part of the engine's error if its data root has no project quotas."""
STAT: Final = "X-Docker-Container-Path-Stat"
SYMBOLIC_LINK: Final = 1 << 27
SPECIAL: Final = 1 << 31 | SYMBOLIC_LINK | 1 << 26 | 1 << 25 | 1 << 24 | 1 << 21 | 1 << 19
"""Bits of Go's file modes: a folder, a link, a device, a pipe, a socket, a character device, anything irregular."""
_WHOLE: Final = ClientTimeout()
"""No time limit."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume, as reported by the engine."""

    labels: Mapping[str, str]
    place: Path
    """Its folder on the engine's machine."""
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file, a folder or something else at a path in a container."""

    is_file: bool
    size: int
    link: str | None
    """Target of a symbolic link, followed to its end; None for anything else."""


class Volumes:
    """Volumes of an engine. Every method raises MachineFault."""

    def __init__(self, docker: Docker) -> None:
        self._docker = docker

    async def create(self, name: str, labels: Mapping[str, str], size: int | None) -> None:
        """Creates a volume of at most `size` bytes, if the engine can enforce it."""
        config = {"Name": name, "Driver": "local", "Labels": dict(labels)}
        if size is not None:
            try:
                await self._create({**config, "DriverOpts": {"size": str(size)}})
            except MachineFault as error:
                if NO_QUOTA not in error.message:
                    raise
            else:
                return
        await self._create(config)

    async def create_mounted(self, name: str, labels: Mapping[str, str], options: Mapping[str, str]) -> None:
        """Creates a volume that the engine mounts, from the device among the options, while a container uses it."""
        await self._create({"Name": name, "Driver": "local", "Labels": dict(labels), "DriverOpts": dict(options)})

    async def find(self, name: str) -> Volume | None:
        """A volume; None if no volume has that name."""
        with engine_errors():
            try:
                found = await self._docker._query_json(f"volumes/{name}")
            except DockerError as error:
                if error.status != NOT_THERE:
                    raise
                return None
        return Volume(found["Labels"] or {}, Path(found["Mountpoint"]), found["Options"] or {})

    async def remove(self, name: str) -> None:
        """Deletes a volume that no container uses."""
        with engine_errors(), already_gone():
            async with self._docker._query(f"volumes/{name}", "DELETE") as response, response:
                await response.read()

    async def put(self, container: str, path: str, tar: AsyncIterator[bytes]) -> None:
        """Unpacks a tar stream in a directory of a container, running or not, and in its volumes below. Unproven."""
        with engine_errors(unproven=True):
            async with (
                self._docker._query(
                    f"containers/{container}/archive",
                    "PUT",
                    params={"path": path},
                    data=tar,
                    headers={"Content-Type": "application/x-tar"},
                    timeout=_WHOLE,
                ) as response,
                response,
            ):
                await response.read()

    async def get(self, container: str, path: str) -> AsyncGenerator[bytes, None]:
        """A directory of a container, running or not, as a tar stream whose names begin with the directory's."""
        last = b""
        with engine_errors():
            async with (
                self._docker._query(
                    f"containers/{container}/archive", params={"path": path}, timeout=_WHOLE
                ) as response,
                response,  # the library leaves it open
            ):
                async for piece in response.content.iter_chunked(PIECE):
                    last = (last + piece)[-len(END_OF_TAR) :]
                    yield piece
        if last != END_OF_TAR:
            raise MachineFault(f"The engine did not return all of {path}")

    async def stat(self, container: str, path: str) -> FileStat | None:
        """Looks at a path in a container, running or not; None if nothing is there. Unproven."""
        with engine_errors(unproven=True):
            try:
                # Not with GET, for which the engine reads the container's /etc/group.
                asked = self._docker._query(f"containers/{container}/archive", "HEAD", params={"path": path})
                async with asked as response, response:
                    told = json.loads(base64.b64decode(response.headers[STAT]))
            except JSONDecodeError:  # the library reads a failure's message, which an answer to HEAD has not
                return None
        link = told["linkTarget"] if told["mode"] & SYMBOLIC_LINK else None
        return FileStat(not told["mode"] & SPECIAL, int(told["size"]), link)

    async def _create(self, config: Mapping[str, Any]) -> None:
        with engine_errors():
            await self._docker._query_json("volumes/create", "POST", data=config)
