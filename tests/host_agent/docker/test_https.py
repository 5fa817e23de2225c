"""HTTP ports of a rented container by TLS, on a real Docker engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import OrderDocument, PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault
from host_agent.identity import MachineIdentity
from host_agent.settings.machine import ContainerLimits, MachineSettings
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.host_agent.docker.https import fetch, hang_up, pinned, until_closed
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
KEY = SealKey.generate()
SERVING = "mkdir /www; echo served > /www/index.html; exec httpd -f -p 8080 -h /www"
HOLDING = "while :; do (echo held; exec sleep 1000) | nc -l -p 8080; done"
PORTS = (PortForward(port=8080, protocol="http"), PortForward(port=9090))


@pytest.fixture
def settings() -> MachineSettings:
    return MachineSettings(
        listing=Pubkey.new_unique(),
        address="127.0.0.1",
        first_port=free_ports(8),
        gpus=(),
        limits=ContainerLimits(shared_memory_bytes=64 * 2**20),
    )


@pytest.fixture
async def connected(engine: OwnEngine) -> AsyncIterator[Engine]:
    async with Engine.connect(engine.url) as opened:
        yield opened


@pytest.fixture
async def machine(connected: Engine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    made = DockerMachine(connected, settings, KEY, MachineIdentity.load_or_create(tmp_path, settings.address))
    yield made
    await made.vacate()


def order(command: str = SERVING) -> OrderDocument:
    return Workload(image=IMAGE, command=command, ports=PORTS).for_renter(SealKey.generate().public)


async def served(connection: Connection) -> str:
    """The container's page, once its server has started."""
    async with asyncio.timeout(PATIENCE):
        while True:
            status, page = await fetch(connection, 8080)
            if status != 502:
                break
            await asyncio.sleep(0.05)
    assert status == 200
    return page


async def test_http_port__of_a_guarded_tenant__is_served_by_tls_and_nowhere_else(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    assert (connection.https, connection.ports) == ({8080: settings.first_port + 1}, {9090: settings.first_port + 2})
    assert await served(connection) == "served\n"
    published = engine.inspect(name_of(settings.listing, TENANT))["NetworkSettings"]["Ports"]
    assert [port for port, places in published.items() if places] == ["9090/tcp"]


async def test_http_port__agent_was_killed__has_the_same_place_and_certificate(
    engine: OwnEngine, connected: Engine, machine: DockerMachine, settings: MachineSettings, tmp_path: Path
) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    await machine.close()
    assert await served(connection) == "served\n"
    again = DockerMachine(connected, settings, KEY, MachineIdentity.load_or_create(tmp_path, settings.address))
    await again.recover()
    engine.docker("restart", "--time", "0", name_of(settings.listing, TENANT))
    assert await again.holds(rental)
    assert again.connection(rental, wanted) == connection
    assert await served(connection) == "served\n"
    await again.close()


async def test_http_port__rental_ends__open_connections_end_with_it(machine: DockerMachine) -> None:
    rental, wanted = Pubkey.new_unique(), order(HOLDING)
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    async with asyncio.timeout(PATIENCE):
        while True:
            reader, writer = await pinned(connection, 8080)
            if await reader.readline() == b"held\n":
                break
            await hang_up(writer)
            await asyncio.sleep(0.05)
        await machine.vacate()
        await until_closed(reader)
    await hang_up(writer)
    with pytest.raises(ConnectionRefusedError):
        await pinned(connection, 8080)


async def test_http_port__is_taken__is_the_machines_fault_until_it_is_free(
    machine: DockerMachine, settings: MachineSettings
) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    async with await asyncio.start_server(lambda reader, writer: None, "0.0.0.0", settings.first_port + 1):
        with pytest.raises(MachineFault, match=str(settings.first_port + 1)):
            await machine.provision(rental, wanted)
    await machine.provision(rental, wanted)
    assert await served(machine.connection(rental, wanted)) == "served\n"
