"""Attacks of a tenant on their machine, and what an engine shows of them."""

from __future__ import annotations

import asyncio
import io
import subprocess
import tarfile
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from host_agent.docker.engine import Engine
from host_agent.errors import MachineFault
from tests.host_agent.docker.engine import OwnEngine

BOMB = "bomb() { bomb | bomb & }; bomb; while :; do sleep 3600 & wait; done"
GREEDY = "exec tail -c 1000000000 /dev/zero"
"""Takes a gigabyte of memory."""


async def run_in(engine: OwnEngine, name: str, command: str) -> tuple[int, str]:
    """A command's exit code in a container, and all that it prints, in order: Docker mixes two streams by chance."""
    words = ("docker", "--host", engine.url, "exec", name, "/bin/sh", "-c", f"exec 2>&1; {command}")
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told, _ = await process.communicate()
    return process.returncode or 0, told.decode(errors="replace")


def counted(engine: OwnEngine, name: str, controller: str, file: str) -> dict[str, int]:
    """The figures of a file of a container's control group."""
    pid = engine.inspect(name)["State"]["Pid"]
    groups = [line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()]
    for _, controllers, group in groups:
        if controller in controllers.split(",") or not controllers:
            root = Path("/sys/fs/cgroup") / (controllers and controller)
            path = root / group.lstrip("/") / file
            if path.exists():
                words = path.read_text().split()
                return (
                    {"": int(words[0])}
                    if len(words) == 1
                    else dict(zip(words[::2], map(int, words[1::2]), strict=True))
                )
    raise AssertionError(f"{name} has no {file} of {controller}")


async def climb(engine: OwnEngine, name: str) -> None:
    """Has the engine unpack archives in a container that name files outside; asserts that none is there."""
    outside = Path(tempfile.gettempdir()) / f"climbed-{uuid4()}"
    for climbed in (f"workspace/../../../../../../..{outside}", str(outside), f"workspace/out{outside}"):
        target = io.BytesIO()
        with tarfile.open(fileobj=target, mode="w") as archive:
            link = tarfile.TarInfo("workspace/out")
            link.type = tarfile.SYMTYPE
            link.linkname = "/"
            archive.addfile(link)
            archive.addfile(tarfile.TarInfo(climbed))
        async with Engine.connect(engine.url) as connected:
            with suppress(MachineFault):  # some are refused as a whole
                await connected.volumes.put(name, "/", _once(target.getvalue()))
        assert not outside.exists()


async def _once(archive: bytes) -> AsyncIterator[bytes]:
    yield archive
