"""The terminal of browsers in a real container, by TLS."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.machine import DockerMachine
from host_agent.listings.maintenance import Maintenance
from host_agent.notices import RenterNotices
from host_agent.settings.machine import MachineSettings
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.ssh import logged_in
from tests.host_agent.terminal import dialled
from tests.processes.patience import PATIENCE

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
KEY = SealKey.generate()


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here()


@pytest.fixture
async def machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    async with machine_on(engine, settings, tmp_path, KEY) as made:
        yield made


async def rented(machine: DockerMachine) -> Connection:
    """A renter's connection to a container that has what they ordered in its environment."""
    rental, order = Pubkey.new_unique(), Workload(image=IMAGE, env={"WHO": "me"}).for_renter(KEY.public)
    await machine.provision(rental, order)
    return machine.connection(rental, order)


async def test_terminal__of_a_tenant__is_a_shell_of_the_containers(machine: DockerMachine) -> None:
    connection = await rented(machine)
    async with dialled(connection) as shell:
        await shell.type("echo $((6 * 7)) $WHO $TERM; stty size; stty -echo; echo quiet$((1 + 1))\n")
        await shell.until("42 me xterm-256color")
        await shell.until("30 100")
        await shell.until("quiet2")
        await shell.resize(81, 25)
        await shell.type("stty size\n")
        await shell.until("25 81")
        await shell.type("exit 7\n")
        assert await shell.ended() == (1000, "The shell has ended with 7")
    async with dialled(connection, password="wrong") as shell:
        assert await shell.ended() == (4401, "The password is wrong")


async def test_login__maintenance_planned__is_told_to_shells_and_not_to_commands(
    machine: DockerMachine, settings: MachineSettings, tmp_path: Path
) -> None:
    connection, now = await rented(machine), int(time.time())
    plan = Maintenance([settings.listing], now + 86_400, now + 90_000)
    async with logged_in(connection) as ssh:
        assert "maintenance" not in str((await ssh.run(input="exit\n", term_type="xterm")).stdout)
        RenterNotices(tmp_path).set(settings.listing, plan.notice())
        assert "planned maintenance of this machine" in str((await ssh.run(input="exit\n", term_type="xterm")).stdout)
        assert (await ssh.run("echo only this", term_type="xterm")).stdout == "only this\r\n"
        assert (await ssh.run(input="echo only this\n")).stdout == "only this\n"
    async with dialled(connection) as shell:
        await shell.until("for 1 h. You keep the time that you have paid")


async def test_terminal__renter_leaves_or_rental_ends__nothing_of_it_stays(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    connection = await rented(machine)
    async with dialled(connection) as shell:
        await shell.type("echo $((6 * 7)); exec sleep 12345\n")
        await shell.until("42")
        assert "12345" in engine.docker("top", name_of(settings.listing, TENANT))
    async with asyncio.timeout(PATIENCE):
        while True:
            if "12345" not in engine.docker("top", name_of(settings.listing, TENANT)):
                break
            await asyncio.sleep(0.1)
    async with dialled(connection) as shell:
        await shell.type("echo $((6 * 7))\n")
        await shell.until("42")
        await machine.vacate()
        assert (await shell.ended())[0] == 1001
    with pytest.raises(ConnectionRefusedError):
        async with dialled(connection):
            pass
