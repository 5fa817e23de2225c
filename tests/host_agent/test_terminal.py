"""The terminal of browsers: who is let in, and what they see. The container is a folder of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from anchor_client.connection import Connection
from host_agent.errors import MachineFault
from host_agent.ssh import RenterCredentials
from host_agent.ssh.throttle import FREE_TRIES
from host_agent.web import TerminalServer, TlsIdentity, terminal, views
from tests.host_agent.docker.https import fetch
from tests.host_agent.docker.process_inside import ProcessInside
from tests.host_agent.terminal import dialled
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

HERE = "127.0.0.1"


class Machine:
    """A tenancy's terminals."""

    def __init__(self, folder: Path) -> None:
        self.tls = TlsIdentity.load_or_create(folder / "certificate.pem", HERE)
        self.container = ProcessInside(folder)
        self.credentials = RenterCredentials("right")
        port = free_ports(1)
        self.connection = Connection(
            host=HERE, port=1, password="right", terminal=port, https={80: port}, certificate=self.tls.pin
        )

    async def listening(self) -> TerminalServer:
        assert self.connection.terminal is not None
        port = self.connection.terminal
        return await TerminalServer.listening(self.tls.context, HERE, port, self.credentials, self.container)


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    made = Machine(tmp_path)
    server = await made.listening()
    yield made
    await server.close()


async def test_terminal__password_is_right__has_a_shell_of_its_size_until_it_exits(machine: Machine) -> None:
    async with dialled(machine.connection) as shell:
        await shell.type("echo $((6 * 7)) $TERM; stty size\n")
        await shell.until("42")
        await shell.until("30 100")
        await shell.resize(81, 25)
        await shell.type("stty size\n")
        await shell.until("25 81")
        await shell.type("exit 7\n")
        assert await shell.ended() == (1000, "The shell has ended with 7")
    async with asyncio.timeout(PATIENCE):
        await machine.container.idle.wait()


async def test_terminal__shows_the_log__is_the_commands_output_without_a_shell(machine: Machine) -> None:
    machine.container.printed += [b"one\n", b"two\n"]
    async with dialled(machine.connection, shows="log") as shown:
        await shown.type("echo $((6 * 7))\n")
        await shown.until("one\ntwo\n")
        assert not machine.container.running


async def test_terminal__shows_the_gpus__is_their_figures_again_and_again(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "EVERY_SECONDS", 0.0)
    monkeypatch.setattr(views, "GPU_COMMAND", ("sh", "-c", "echo 0, A, 61, 10, 20, 50, 100.00"))
    async with dialled(machine.connection, shows="gpus") as shown:
        for _ in range(2):
            await shown.until("0, A, 61, 10, 20, 50, 100.00\n")
    async with asyncio.timeout(PATIENCE):
        await machine.container.idle.wait()


@pytest.mark.parametrize("shows", ["log", "gpus"])
async def test_terminal__view_without_the_password__is_refused(machine: Machine, shows: str) -> None:
    async with dialled(machine.connection, password="wrong", shows=shows) as shown:
        assert (await shown.ended())[0] == 4401
    assert not machine.container.running


async def test_terminal__renter_leaves__their_shell_is_gone(machine: Machine) -> None:
    async with dialled(machine.connection) as shell:
        await shell.type("echo $((6 * 7)); sleep 1000\n")
        await shell.until("42")
        assert machine.container.running
    async with asyncio.timeout(PATIENCE):
        await machine.container.idle.wait()


@pytest.mark.parametrize(
    "first",
    [
        {"password": "wrong", "columns": 80, "rows": 24},
        {"password": "right", "columns": 0, "rows": 24},
        {"password": "right", "columns": 80},
        {"password": "right", "columns": 80, "rows": 24, "shows": "all"},
        {"password": "right", "columns": 80, "rows": 24, "command": "id"},
        ["right"],
    ],
)
async def test_terminal__first_message_lets_nobody_in__is_closed_without_a_shell(
    machine: Machine, first: object
) -> None:
    async with dialled(machine.connection, first) as shell:
        code, _ = await shell.ended()
    assert code == 4401 and not machine.container.running


async def test_terminal__wrong_too_often__also_the_right_one_waits(machine: Machine) -> None:
    for _ in range(FREE_TRIES):
        async with dialled(machine.connection, password="wrong") as shell:
            assert (await shell.ended())[0] == 4401
    async with dialled(machine.connection) as shell:
        code, reason = await shell.ended()
    assert code == 4429 and reason is not None and reason.startswith("Too many wrong passwords: try again in")
    assert machine.credentials.throttle.wait(HERE) > 0, "SSH counts the same"


async def test_terminal__size_is_none__ends_the_shell(machine: Machine) -> None:
    async with dialled(machine.connection) as shell:
        await shell.resize(80, 1_001)
        assert (await shell.ended())[0] == 4401


async def test_terminal__no_password_in_time__is_closed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "LOGIN_SECONDS", 0.0)
    async with dialled(machine.connection) as shell:
        assert await shell.ended() == (4401, "No password was sent")


async def test_terminal__more_than_it_takes__are_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "MOST_TERMINALS", 1)
    async with dialled(machine.connection) as first:
        await first.type("echo $((6 * 7))\n")
        await first.until("42")
        async with dialled(machine.connection) as second:
            assert (await second.ended())[0] == 4503


async def test_terminal__opened_as_a_page__says_that_the_certificate_is_accepted(machine: Machine) -> None:
    status, page = await fetch(machine.connection, 80)
    assert status == 200 and "accepted its certificate" in page


async def test_close__terminals_are_open__are_closed_with_their_shells(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    server = await machine.listening()
    async with dialled(machine.connection) as shell:
        await shell.type("echo $((6 * 7))\n")
        await shell.until("42")
        ended = asyncio.create_task(shell.ended())
        await server.close()
        assert (await ended)[0] == 1001
    assert not machine.container.running


async def test_listening__port_is_taken__is_the_machines_fault(machine: Machine) -> None:
    with pytest.raises(MachineFault, match=str(machine.connection.terminal)):
        await machine.listening()
