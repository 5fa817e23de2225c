"""Tenants that want more than their part of the machine, in real containers: each harms itself alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import CORE_BYTES, CPU_SHARES, OOM_SCORE, TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.identity import MachineIdentity
from host_agent.network.egress import Egress
from host_agent.settings.machine import ContainerLimits, MachineSettings
from tests.host_agent.docker.attacks import BOMB, GREEDY, climb, counted, run_in
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.host_agent.docker.escapes import DEVICES, KERNEL, tried
from tests.indexer.service import until
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
PROCESSES = 48
MEMORY = 48 * 2**20
SHARED = 8 * 2**20
SCANNED = 128
AT_ONCE = 12
"""Ports scanned in parallel: a dropped packet takes five seconds, a knock two of the container's processes."""
KILLED, SEGV = 137, 139
LIMIT = "awk '/core file/ {print $5, $6}' /proc/self/limits /proc/1/limits"


@pytest.fixture
def settings() -> MachineSettings:
    limits = ContainerLimits(memory_bytes=MEMORY, shared_memory_bytes=SHARED, processes=PROCESSES)
    return MachineSettings(
        listing=Pubkey.new_unique(), address="127.0.0.1", first_port=free_ports(8), gpus=(), limits=limits
    )


@pytest.fixture
async def machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    async with Engine.connect(engine.url) as connected:
        identity = MachineIdentity.load_or_create(tmp_path, settings.address)
        made = DockerMachine(connected, settings, SealKey.generate(), identity)
        yield made
        await made.vacate()


def order(command: str = "while :; do sleep 3600 & wait; done") -> OrderDocument:
    return Workload(image=IMAGE, command=command).for_renter(SealKey.generate().public)


async def test_fork_bomb__fills_its_own_processes__and_is_wiped(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    name, rental = name_of(settings.listing, TENANT), Pubkey.new_unique()
    await machine.provision(rental, order(BOMB))

    async def refused() -> bool:
        return counted(engine, name, "pids", "pids.events")["max"] > 0

    await until(refused)
    assert counted(engine, name, "pids", "pids.current")[""] <= PROCESSES
    assert await machine.holds(rental)
    await machine.vacate()
    assert name not in engine.names("ps", "--all")
    await machine.provision(Pubkey.new_unique(), order())
    assert (await run_in(engine, name, "echo mine")) == (0, "mine\n")


async def test_memory__more_than_its_part__only_what_took_it_is_killed(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    name, rental = name_of(settings.listing, TENANT), Pubkey.new_unique()
    await machine.provision(rental, order())
    before = engine.inspect(name)
    code, _ = await run_in(engine, name, GREEDY)
    assert code == KILLED
    assert (before["HostConfig"]["Memory"], before["HostConfig"]["MemorySwap"]) == (MEMORY, MEMORY)
    assert await machine.holds(rental) and engine.inspect(name)["State"]["Pid"] == before["State"]["Pid"]
    # A machine that has no memory left ends tenants before the host's own services, and no tenant can change that.
    code, said = await run_in(engine, name, "echo -1000 > /proc/self/oom_score_adj; cat /proc/1/oom_score_adj")
    assert "denied" in said and said.split()[-1] == str(OOM_SCORE)
    assert before["HostConfig"]["CpuShares"] == CPU_SHARES
    assert await run_in(engine, name, "echo mine") == (0, "mine\n")


async def test_shared_memory__is_full__writing_fails_and_the_container_goes_on(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    name, rental = name_of(settings.listing, TENANT), Pubkey.new_unique()
    await machine.provision(rental, order())
    code, said = await run_in(engine, name, "dd if=/dev/zero of=/dev/shm/all bs=1M count=64")
    assert code != 0 and "No space left on device" in said
    assert (await run_in(engine, name, "wc -c < /dev/shm/all"))[1].strip() == str(SHARED)
    assert await machine.holds(rental)


async def test_proc_and_devices__of_the_host__are_out_of_reach(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    name = name_of(settings.listing, TENANT)
    await machine.provision(Pubkey.new_unique(), order())
    attacks = (*DEVICES, *KERNEL, "/bin/busybox unshare -U true")
    assert await run_in(engine, name, tried(attacks)) == (0, "tried\n")


async def test_core_dump__of_a_crash__is_nowhere_and_the_limit_cannot_be_raised(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    name = name_of(settings.listing, TENANT)
    await machine.provision(Pubkey.new_unique(), order())
    crash = "cd /workspace; ulimit -c unlimited; sh -c 'kill -SEGV $$'; echo $?; find /workspace -type f"
    code, said = await run_in(engine, name, f"{LIMIT}; {crash}")
    here, first, denied, *_, crashed = said.strip().splitlines()
    assert here == first == f"{CORE_BYTES} {CORE_BYTES}" and "Operation not permitted" in denied
    assert (code, crashed) == (0, str(SEGV)), "and no file"


async def test_archive__climbs_out_of_the_workspace__stays_in_the_container(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    await machine.provision(Pubkey.new_unique(), order())
    await climb(engine, name_of(settings.listing, TENANT))


@pytest.mark.parametrize("is_open", [False, True])
async def test_port_scan__of_the_gateway__finds_what_the_operator_leaves_open(
    engine: OwnEngine, settings: MachineSettings, tmp_path: Path, is_open: bool
) -> None:
    own = replace(settings, egress=Egress(is_open=is_open))
    name = name_of(own.listing, TENANT)
    async with Engine.connect(engine.url) as connected:
        identity = MachineIdentity.load_or_create(tmp_path, own.address)
        made = DockerMachine(connected, own, SealKey.generate(), identity)
        async with await asyncio.start_server(lambda reader, writer: writer.close(), "0.0.0.0", 0) as service:
            port = service.sockets[0].getsockname()[1]
            try:
                await made.provision(Pubkey.new_unique(), order())
                gateway = engine.inspect(name)["NetworkSettings"]["Networks"][name]["Gateway"]
                knock = f"nc -w 5 {gateway} $port < /dev/null > /dev/null 2>&1 && echo $port"
                ports = (*range(1, SCANNED), own.ssh_port, port)
                parts = (" ".join(map(str, ports[start : start + AT_ONCE])) for start in range(0, len(ports), AT_ONCE))
                scan = "; ".join(f"for port in {part}; do ({knock}) & done; wait" for part in parts)
                _, found = await run_in(engine, name, scan)
            finally:
                await made.vacate()
    assert (str(port) in found.split()) is is_open
    assert is_open or found == ""
