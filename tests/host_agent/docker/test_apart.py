"""Orders under gVisor's kernel, and under an engine that makes root another user outside."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.orders import Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from tests.host_agent.docker.engine import IMAGE, OwnEngine, require, running
from tests.host_agent.docker.escapes import DEVICES, KERNEL, tried
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.ssh import inside

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
RUNSC = "runsc"
THROUGH = {"path": f"/usr/bin/{RUNSC}", "runtimeArgs": ["--network=host"]}
"""With the network of the container's own namespace as it is, instead of gVisor's."""
FIRST_MAPPED = 100_000
"""Debian's first user id for user namespaces."""


@pytest.fixture(scope="module")
def guarded(xprocess: XProcess) -> Iterator[OwnEngine]:
    """An engine that has gVisor."""
    require()
    if shutil.which(RUNSC) is None:
        missing = f"{RUNSC} is not installed"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with running(xprocess, runtimes={RUNSC: THROUGH}) as engine:
        yield engine


@pytest.fixture(scope="module")
def remapped(xprocess: XProcess) -> Iterator[OwnEngine]:
    """An engine with user namespaces."""
    require()
    daemon: dict[str, Any] = {"userns-remap": "default"}
    with running(xprocess, **daemon) as engine:
        yield engine


@asynccontextmanager
async def machine(
    engine: OwnEngine, folder: Path, runtime: str | None = None
) -> AsyncIterator[tuple[DockerMachine, str]]:
    """A machine, and the name of its tenant's container."""
    settings = settings_here(runtime=runtime)
    async with Engine.connect(engine.url) as connected:
        (await connected.isolation()).require_runtime(runtime)
    async with machine_on(engine, settings, folder) as made:
        yield made, name_of(settings.listing, TENANT)


async def test_runsc__order__runs_on_gvisors_kernel_and_is_reached_by_ssh(guarded: OwnEngine, tmp_path: Path) -> None:
    async with machine(guarded, tmp_path, RUNSC) as (made, tenant):
        rental, wanted = Pubkey.new_unique(), Workload(image=IMAGE).for_renter(SealKey.generate().public)
        await made.provision(rental, wanted)
        connection = made.connection(rental, wanted)
        assert guarded.inspect(tenant)["HostConfig"]["Runtime"] == RUNSC
        code, version = await inside(connection, "cat /proc/version")
        assert code == 0 and version.startswith("Linux version 4.4.0 ") and platform.release() not in version
        assert await inside(connection, "echo kept > /workspace/file && cat /workspace/file") == (0, "kept\n")
        assert await inside(connection, tried((*DEVICES, *KERNEL))) == (0, "tried\n")
        assert await made.holds(rental)


async def test_user_namespaces__root_of_an_order__is_nobody_outside(remapped: OwnEngine, tmp_path: Path) -> None:
    async with machine(remapped, tmp_path) as (made, tenant):
        rental, wanted = Pubkey.new_unique(), Workload(image=IMAGE).for_renter(SealKey.generate().public)
        await made.provision(rental, wanted)
        connection = made.connection(rental, wanted)
        assert await inside(connection, "id -u; echo mine > /workspace/file; cat /workspace/file") == (0, "0\nmine\n")
        assert await inside(connection, tried((*DEVICES, *KERNEL))) == (0, "tried\n")
        pid = remapped.inspect(tenant)["State"]["Pid"]
        assert os.stat(f"/proc/{pid}").st_uid >= FIRST_MAPPED
