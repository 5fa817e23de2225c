"""Orders under gVisor's kernel, and under an engine that makes root another user outside."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.settings.machine import ContainerLimits
from tests.host_agent.docker.attacks import BOMB, GREEDY, climb, counted, run_in
from tests.host_agent.docker.engine import IMAGE, OwnEngine, require, running
from tests.host_agent.docker.escapes import DEVICES, KERNEL, tried
from tests.host_agent.docker.machines import SHARED_MEMORY, machine_on, settings_here
from tests.host_agent.ssh import inside
from tests.indexer.service import until

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
RUNSC = "runsc"
THROUGH = {"path": f"/usr/bin/{RUNSC}", "runtimeArgs": ["--network=host"]}
"""With the network of the container's own namespace as it is, instead of gVisor's."""
LIMITS = ContainerLimits(memory_bytes=256 * 2**20, shared_memory_bytes=8 * 2**20, processes=256)
DISK = 24 * 2**20
KILLED = 137
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
    engine: OwnEngine, folder: Path, runtime: str | None = None, limits: ContainerLimits = SHARED_MEMORY
) -> AsyncIterator[tuple[DockerMachine, str]]:
    """A machine, and the name of its tenant's container."""
    settings = settings_here(runtime=runtime, limits=limits)
    async with Engine.connect(engine.url) as connected:
        (await connected.isolation()).require_runtime(runtime)
    async with machine_on(engine, settings, folder) as made:
        yield made, name_of(settings.listing, TENANT)


def order(command: str = "") -> OrderDocument:
    return Workload(image=IMAGE, command=command).for_renter(SealKey.generate().public)


async def test_runsc__order__runs_on_gvisors_kernel_and_is_reached_by_ssh(guarded: OwnEngine, tmp_path: Path) -> None:
    async with machine(guarded, tmp_path, RUNSC) as (made, tenant):
        rental, wanted = Pubkey.new_unique(), order()
        await made.provision(rental, wanted)
        connection = made.connection(rental, wanted)
        assert guarded.inspect(tenant)["HostConfig"]["Runtime"] == RUNSC
        code, version = await inside(connection, "cat /proc/version")
        assert code == 0 and version.startswith("Linux version 4.4.0 ") and platform.release() not in version
        assert await inside(connection, "echo kept > /workspace/file && cat /workspace/file") == (0, "kept\n")
        assert await inside(connection, tried((*DEVICES, *KERNEL))) == (0, "tried\n")
        assert await made.holds(rental)


async def test_user_namespaces__root_of_an_order__is_nobody_outside(remapped: OwnEngine, tmp_path: Path) -> None:
    async with machine(remapped, tmp_path, limits=LIMITS) as (made, tenant):
        rental, wanted = Pubkey.new_unique(), order()
        await made.provision(rental, wanted)
        connection = made.connection(rental, wanted)
        assert await inside(connection, "id -u; echo mine > /workspace/file; cat /workspace/file") == (0, "0\nmine\n")
        assert await inside(connection, tried((*DEVICES, *KERNEL))) == (0, "tried\n")
        assert (await run_in(remapped, tenant, GREEDY))[0] == KILLED
        pid = remapped.inspect(tenant)["State"]["Pid"]
        assert os.stat(f"/proc/{pid}").st_uid >= FIRST_MAPPED


@pytest.fixture(params=["runsc", "user namespaces"])
def apart(request: pytest.FixtureRequest) -> tuple[OwnEngine, str | None]:
    """An engine that keeps its tenants further away, and the runtime to ask it for."""
    if request.param == RUNSC:
        return request.getfixturevalue("guarded"), RUNSC
    return request.getfixturevalue("remapped"), None


async def test_attacks__of_a_tenant_kept_apart__harm_that_tenant_alone(
    apart: tuple[OwnEngine, str | None], tmp_path: Path
) -> None:
    engine, runtime = apart
    async with machine(engine, tmp_path, runtime, LIMITS) as (made, tenant):

        async def refused() -> bool:
            try:
                return counted(engine, tenant, "pids", "pids.events")["max"] > 0
            except (FileNotFoundError, AssertionError):  # gVisor ends with any of its own processes
                return not engine.inspect(tenant)["State"]["Running"]

        rental = Pubkey.new_unique()
        await made.provision(rental, order(BOMB))
        await until(refused)
        assert await made.holds(rental)
        await made.vacate()
        assert tenant not in engine.names("ps", "--all")
        await made.provision(Pubkey.new_unique(), order())
        await climb(engine, tenant)
        assert await run_in(engine, tenant, "echo mine") == (0, "mine\n")


async def test_runsc__more_memory_than_its_part__ends_that_tenants_container(
    guarded: OwnEngine, tmp_path: Path
) -> None:
    async with machine(guarded, tmp_path, RUNSC, LIMITS) as (made, tenant):

        async def ended() -> bool:
            return not guarded.inspect(tenant)["State"]["Running"]

        rental = Pubkey.new_unique()
        await made.provision(rental, order(GREEDY))
        await until(ended)
        assert await made.holds(rental)


async def test_runsc__file_deleted_and_kept_open__tenant_is_stopped_for_its_size(
    guarded: OwnEngine, tmp_path: Path
) -> None:
    limits = replace(LIMITS, disk_bytes=DISK)
    async with machine(guarded, tmp_path, RUNSC, limits) as (made, tenant):

        async def ended() -> bool:
            return not guarded.inspect(tenant)["State"]["Running"]

        rental = Pubkey.new_unique()
        write = "exec 9> /big; rm /big; dd if=/dev/zero bs=1048576 count=48 >&9; while :; do sleep 1; done"
        await made.provision(rental, order(write))
        assert await made.holds(rental)
        await until(ended)
        assert await made.holds(rental) and await ended()
        assert made._guard is not None and "GB of disk" in str(made._guard.reason)
