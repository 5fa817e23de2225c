"""A rented container by OpenSSH's own programs: files, ports and output, and nothing of the host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncssh
import pytest
from solders.pubkey import Pubkey

from anchor_client.orders import Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.machine import DockerMachine
from tests.host_agent import openssh
from tests.host_agent.docker import renter_access
from tests.host_agent.docker.engine import IMAGE, TOOLS_IMAGE, OwnEngine
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.openssh import OpenSsh
from tests.host_agent.ssh import logged_in
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
KEY = SealKey.generate()
ANSWERING = "while :; do echo heard | nc -l -p 7000 127.0.0.1; done"


@pytest.fixture
async def machine(engine: OwnEngine, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    openssh.require("ssh", "sftp", "scp")
    async with machine_on(engine, settings_here(), tmp_path, KEY) as made:
        yield made


async def rented(machine: DockerMachine, folder: Path, image: str, command: str | None = None) -> OpenSsh:
    """A renter who has logged in to a container of an image."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(folder / "key")
    (folder / "key").chmod(0o600)
    public = key.export_public_key().decode().strip()
    order = Workload.of(image=image, ssh_key=public, command=command).for_renter(SealKey.generate().public)
    rental = Pubkey.new_unique()
    await machine.provision(rental, order)
    return OpenSsh(machine.connection(rental, order), folder / "key")


async def test_files__busybox_alone__go_and_come_back(machine: DockerMachine, tmp_path: Path) -> None:
    ssh = await rented(machine, tmp_path, IMAGE)
    await renter_access.files_go_and_come_back(ssh, "/data", tmp_path)


async def test_sftp__busybox_alone__does_what_a_file_system_does(machine: DockerMachine, tmp_path: Path) -> None:
    ssh = await rented(machine, tmp_path, IMAGE)
    await renter_access.sftp_does_what_a_file_system_does(ssh, "/data", tmp_path)


async def test_session__closed_while_it_prints__leaves_the_connection_open(
    machine: DockerMachine, tmp_path: Path
) -> None:
    await renter_access.session_closed_early_leaves_the_rest(await rented(machine, tmp_path, IMAGE))


async def test_rsync_and_sftp__image_with_a_user__act_as_that_user(machine: DockerMachine, tmp_path: Path) -> None:
    openssh.require("rsync")
    ssh = await rented(machine, tmp_path, TOOLS_IMAGE)
    await renter_access.rsync_goes_both_ways(ssh, "/home", tmp_path)
    (tmp_path / "mine").write_text("mine")
    done = await ssh.sftp(f"put {tmp_path}/mine", "ls -n", "pwd")
    assert "1000     1000" in done.out and "Remote working directory: /home" in done.out, done
    refused = await ssh.sftp(f"put {tmp_path}/mine /etc/mine")
    assert refused.code == 1 and "ermission denied" in refused.error


async def test_forward__loopback_of_the_container__is_reached_and_no_other(
    machine: DockerMachine, tmp_path: Path
) -> None:
    ssh = await rented(machine, tmp_path, IMAGE, ANSWERING)
    port = free_ports(1)
    async with ssh.forwarding("-L", f"{port}:localhost:7000"), asyncio.timeout(PATIENCE):
        while True:
            said = await renter_access.ask(port, b"")
            if said:  # nothing while the container's program does not listen yet
                break
            await asyncio.sleep(0.1)
    assert said == b"heard\n"
    reached: list[str] = []

    def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.append("the host")
        writer.close()

    async with await asyncio.start_server(note, "127.0.0.1", 0) as on_host:
        of_host = on_host.sockets[0].getsockname()[1]
        await ssh.ssh("-W", f"127.0.0.1:{of_host}")
    for place in ("172.17.0.1:22", f"host.docker.internal:{of_host}"):
        refused = await ssh.ssh("-W", place)
        assert refused.code != 0 and "only ports of the container itself" in refused.error
    assert not reached


async def test_forward_back__listens_in_the_container_and_reaches_the_renter(
    machine: DockerMachine, tmp_path: Path
) -> None:
    openssh.require("perl")
    ssh = await rented(machine, tmp_path, TOOLS_IMAGE)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"heard " + await reader.readline())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, ssh.forwarding("-R", f"7001:127.0.0.1:{server.sockets[0].getsockname()[1]}"):
        assert (await ssh.ssh("--", "echo hello | nc 127.0.0.1 7001")).out == "heard hello\n"
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", 7001)


async def test_logs__command_has_printed__are_what_the_engine_has_kept(machine: DockerMachine, tmp_path: Path) -> None:
    ssh = await rented(machine, tmp_path, IMAGE, "echo one; echo two; sleep 0.5; echo three")
    options = {"password": None, "client_keys": [str(ssh.key)]}
    async with (
        logged_in(ssh.connection, **options) as client,
        client.create_process(subsystem="gpu-market-logs follow") as followed,
        asyncio.timeout(PATIENCE),
    ):
        assert [(await followed.stdout.readline()).strip() for _ in range(3)] == ["one", "two", "three"]
        assert (await ssh.ssh("-s", "gpu-market-logs tail=1")).out.split() == ["three"]
        assert (await ssh.ssh("-s", "gpu-market-logs")).out.split() == ["one", "two", "three"]


async def test_forward__client_is_gone__leaves_no_process(
    engine: OwnEngine, machine: DockerMachine, tmp_path: Path
) -> None:
    ssh = await rented(machine, tmp_path, TOOLS_IMAGE, "nc -l -p 7000 127.0.0.1 & wait")
    port = free_ports(1)
    async with ssh.forwarding("-L", f"{port}:localhost:7000"):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"x")
        await writer.drain()
        writer.close()
    name = name_of(machine._settings.listing, TENANT)
    async with asyncio.timeout(PATIENCE):
        while True:
            if "perl" not in engine.docker("top", name):
                break
            await asyncio.sleep(0.1)
