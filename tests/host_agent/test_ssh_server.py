"""The agent's SSH server, by OpenSSH's own programs; the container is a folder of this machine."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from pathlib import Path

import asyncssh
import pytest
from msgspec.structs import replace

from anchor_client.connection import Connection
from host_agent.ssh import RenterCredentials, SshIdentity, TenantSshServer
from host_agent.ssh.sftp import ContainerFiles
from tests.host_agent import openssh
from tests.host_agent.docker import renter_access
from tests.host_agent.docker.process_inside import ProcessInside
from tests.host_agent.openssh import OpenSsh
from tests.host_agent.ssh import inside as run_inside
from tests.host_agent.ssh import logged_in
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

PASSWORD = "right"


@pytest.fixture
def container(tmp_path: Path) -> ProcessInside:
    folder = tmp_path / "container"
    folder.mkdir()
    return ProcessInside(folder)


@pytest.fixture
async def ssh(tmp_path: Path, container: ProcessInside) -> AsyncIterator[OpenSsh]:
    openssh.require("ssh", "sftp", "scp")
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(tmp_path / "key")
    (tmp_path / "key").chmod(0o600)
    identity = SshIdentity.load_or_create(tmp_path / "host_key")
    port = free_ports(1)
    credentials = RenterCredentials(PASSWORD, key.export_public_key().decode().strip())
    server = await TenantSshServer.listening(identity, "127.0.0.1", port, credentials, container)
    connection = Connection(host="127.0.0.1", port=port, password=PASSWORD, host_key=identity.public_key)
    yield OpenSsh(connection, tmp_path / "key")
    await server.close()
    assert not container.running


@pytest.mark.exhaustive
async def test_scp__every_name_and_both_protocols__comes_back_the_same(
    ssh: OpenSsh, container: ProcessInside, tmp_path: Path
) -> None:
    await renter_access.files_go_and_come_back(ssh, str(container.folder), tmp_path)
    assert not container.running


@pytest.mark.exhaustive
async def test_sftp__what_a_file_system_does__is_done(ssh: OpenSsh, container: ProcessInside, tmp_path: Path) -> None:
    await renter_access.sftp_does_what_a_file_system_does(ssh, str(container.folder), tmp_path)


async def test_rsync__image_has_it__goes_both_ways(ssh: OpenSsh, container: ProcessInside, tmp_path: Path) -> None:
    openssh.require("rsync")
    await renter_access.rsync_goes_both_ways(ssh, str(container.folder), tmp_path)


async def test_session__closed_while_it_prints__leaves_the_connection_open(ssh: OpenSsh) -> None:
    await renter_access.session_closed_early_leaves_the_rest(ssh)


def test_sftp__methods_of_the_library__none_is_left_that_touches_the_host() -> None:
    theirs = {name for name, _ in inspect.getmembers(asyncssh.SFTPServer, inspect.isfunction) if name[0] != "_"}
    harmless = {"convert_attrs", "format_longname", "lock", "unlock", "map_path", "reverse_map_path"}
    assert theirs - harmless <= vars(ContainerFiles).keys()


async def test_forward__programs_on_loopback__are_reached_and_reach_back(
    ssh: OpenSsh, container: ProcessInside
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"heard " + await reader.readline())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    inner = server.sockets[0].getsockname()[1]
    to, back = free_ports(2), 0
    back = to + 1
    async with (
        server,
        ssh.forwarding("-L", f"{to}:localhost:{inner}", "-R", f"{back}:127.0.0.1:{inner}"),
    ):
        for port in (to, back):
            answers = await asyncio.gather(*(renter_access.ask(port, b"%d\n" % each) for each in range(5)))
            assert answers == [b"heard %d\n" % each for each in range(5)]
    async with asyncio.timeout(PATIENCE):
        await container.idle.wait()


@pytest.mark.parametrize("place", ["10.0.0.1:22", "example.com:80", "0.0.0.0:22"])
async def test_forward__elsewhere__is_refused_with_the_reason(ssh: OpenSsh, place: str) -> None:
    refused = await ssh.ssh("-W", place)
    assert refused.code != 0 and f"only ports of the container itself are forwarded: localhost, not {place}" in (
        refused.error
    )


async def test_forward__nothing_listens__is_refused_with_the_reason(ssh: OpenSsh) -> None:
    refused = await ssh.ssh("-W", f"localhost:{free_ports(1)}")
    assert refused.code != 0 and "nothing listens at port" in refused.error


async def test_forward__unix_socket_and_agent__are_refused(ssh: OpenSsh, tmp_path: Path) -> None:
    refused = await ssh.ssh("-R", f"{tmp_path}/socket:localhost:1", "true")
    assert refused.code != 0 and "forwarding failed" in refused.error
    refused = await ssh.ssh("-o", "ForwardAgent=yes", "--", 'test -z "$SSH_AUTH_SOCK"')
    assert refused.code == 0


async def test_logs__tail_and_follow__are_what_the_command_printed(ssh: OpenSsh, container: ProcessInside) -> None:
    container.printed = [b"one\n", b"two\n", b"three\n"]
    assert (await ssh.ssh("-s", "gpu-market-logs")).out == "one\ntwo\nthree\n"
    assert (await ssh.ssh("-s", "gpu-market-logs tail=1")).out == "three\n"
    refused = await ssh.ssh("-s", "gpu-market-logs tail=x")
    assert (refused.code, refused.out) == (2, "")
    assert (await ssh.ssh("-s", "other")).code == 1


async def test_logs__followed__come_as_they_are_printed(ssh: OpenSsh, container: ProcessInside) -> None:
    async with (
        logged_in(ssh.connection) as client,
        client.create_process(subsystem="gpu-market-logs follow tail=0") as following,
    ):
        for line in ("one\n", "two\n"):
            container.printed.append(line.encode())
            container.more.set()
            assert await following.stdout.readline() == line


async def test_password__wrong_too_often__is_not_compared_and_the_key_is(ssh: OpenSsh) -> None:
    right = ssh.connection
    wrong = replace(right, password="wrong")
    for _ in range(6):
        with pytest.raises(asyncssh.PermissionDenied):
            await run_inside(wrong, "true")
    with pytest.raises(asyncssh.PermissionDenied):
        await run_inside(right, "true")
    assert (await ssh.ssh("--", "true")).code == 0
    assert await run_inside(right, "echo in") == (0, "in\n")
