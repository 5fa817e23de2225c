"""The process that serves a tenancy's renter: nothing that happens to the agent reaches them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import asyncssh
import msgspec
import pytest
from msgspec.structs import replace

from anchor_client.sealing import SealKey
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault
from host_agent.gateway import handle
from host_agent.gateway.control import short_path
from host_agent.gateway.documents import AskStanding, HandOver, RenterAdmission, Standing, encode
from host_agent.gateway.handle import GatewayHandle
from host_agent.gateway.lifetime import PaidTime
from host_agent.log_file import LogFile
from host_agent.web.relay import SILENT
from tests.host_agent.docker.https import fetch
from tests.host_agent.docker.machines import settings_here
from tests.host_agent.docker.stub import stub_engine
from tests.host_agent.gateway.held import echo_server, held_sessions
from tests.host_agent.gateway.tenants import HERE, LISTING, Tenant, is_running, tenant_in
from tests.host_agent.ssh import inside, logged_in
from tests.indexer.service import until
from tests.processes.patience import PATIENCE

NOBODY = 65_534
MOST_MEMORY = 96 * 2**20


@pytest.fixture
async def tenant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tenant]:
    async with tenant_in(tmp_path, monkeypatch) as made:
        await made.handle.serve(made.opening)
        yield made


async def pid_of(tenant: Tenant) -> int:
    """The process that takes connections."""
    standing = await tenant.restarted().standing()
    assert standing is not None
    return standing.pid


async def until_gone(pid: int) -> None:
    async def is_gone() -> bool:
        return not is_running(pid)

    await until(is_gone)


async def until_ended(pid: int, tenant: Tenant) -> None:
    """Waits until a process has ended, and nothing listens any more."""
    await until_gone(pid)
    with pytest.raises(ConnectionRefusedError):
        await inside(tenant.connection, "true")


async def test_gateway__served_again_by_the_next_agent__is_the_same_process(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    await tenant.restarted().serve(tenant.opening)
    assert await pid_of(tenant) == pid != os.getpid()
    assert os.getsid(pid) == pid != os.getsid(0), "a signal to the agent's session does not reach it"
    assert await inside(tenant.connection, "echo served") == (0, "served\n")


async def test_gateway__password_and_key_change__new_clients_need_the_new_ones_and_old_sessions_stay(
    tenant: Tenant,
) -> None:
    async with logged_in(tenant.connection) as before:
        await tenant.restarted().serve(tenant.admitting(password="another"))
        with pytest.raises(asyncssh.PermissionDenied):
            await inside(tenant.connection, "true")
        assert (await before.run("echo still")).stdout == "still\n"
    key = asyncssh.generate_private_key("ssh-ed25519")
    await tenant.handle.admit(RenterAdmission("another", key.export_public_key().decode()))
    assert await inside(tenant.connection, "echo in", password=None, client_keys=[key]) == (0, "in\n")


async def test_gateway__its_installation_is_replaced_meanwhile__imports_nothing_more(tenant: Tenant) -> None:
    async with (
        echo_server() as port,
        held_sessions(tenant.connection, port) as held,
        logged_in(tenant.connection) as ssh,
    ):
        await held.work()
        (tenant.home / "file").write_text("kept")
        async with ssh.start_sftp_client() as sftp:
            assert await (await sftp.open(str(tenant.home / "file"))).read() == "kept"
        assert await fetch(tenant.connection, 8080) == (502, SILENT)
    assert "ImportError" not in (tenant.directory / f"{LISTING}.log").read_text()


async def test_gateway__answers_as_no_version_does__is_replaced(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    later = msgspec.json.encode({"place": {"rental": 1}, "pid": 2})
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as odd:
        with short_path(tenant.directory, "other.sock") as path:
            odd.bind(path)
        odd.listen()
        odd.setblocking(False)
        (tenant.directory / "other.sock").rename(tenant.directory / f"{LISTING}.1.sock")
        killed: list[int] = []

        async def kill(pid: int) -> None:
            killed.append(pid)

        tenant.handle._kill = kill  # type: ignore[method-assign]
        asking = asyncio.create_task(tenant.handle.admit(tenant.opening.admission))
        connection, _ = await asyncio.get_running_loop().sock_accept(odd)
        with connection:
            await asyncio.get_running_loop().sock_sendall(connection, later)
            await asking
    assert killed == [os.getpid()] and await pid_of(tenant) == pid


def test_documents__of_a_later_version__are_read_by_this_one() -> None:
    place = {"rental": "R", "container": "c", "bind": "::", "ssh_port": 1, "terminal_port": 8, "later": True}
    standing = msgspec.json.decode(
        msgspec.json.encode({"place": place, "pid": 2, "connections": 3, "later": 4}), type=Standing
    )
    assert (standing.place.rental, standing.pid, standing.connections) == ("R", 2, 3)


async def test_gateway__another_rental__replaces_it_and_ends_its_sessions(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    other = replace(tenant.opening, place=replace(tenant.opening.place, rental="Other"))
    async with logged_in(tenant.connection) as before:
        await tenant.restarted().serve(other)
        await before.wait_closed()
    assert await pid_of(tenant) != pid
    await until_gone(pid)


async def test_gateway__killed__the_next_look_of_the_agent_starts_another(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    os.kill(pid, signal.SIGKILL)
    await until_gone(pid)
    assert await tenant.handle.standing() is None
    await tenant.handle.serve(tenant.opening)
    assert await inside(tenant.connection, "echo back") == (0, "back\n")


async def test_end__gateway_does_not_answer__is_killed(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = await pid_of(tenant)
    monkeypatch.setattr(handle, "ANSWER_SECONDS", 0.2)
    os.kill(pid, signal.SIGSTOP)
    await tenant.handle.end()
    assert not is_running(pid)
    await until_ended(pid, tenant)


async def test_paid_time__ends_while_no_agent_is_there__access_ends_with_it(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    tenant.deadline.write_text(f"{time.time() + 1000:.0f}\n")
    async with logged_in(tenant.connection) as ssh:
        tenant.deadline.write_text(f"{time.time() - 1:.0f}\n")
        await ssh.wait_closed()
    await until_ended(pid, tenant)


async def test_agent__starts_and_the_tenancy_is_gone__gateway_has_ended_and_its_ports_are_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_here()
    async with (
        tenant_in(tmp_path, monkeypatch) as tenant,
        stub_engine() as stub,
        Engine.connect(stub.url) as engine,
    ):
        before = GatewayHandle(tenant.directory, str(settings.listing))
        await before.serve(tenant.opening)
        standing = await before.standing()
        assert standing is not None
        machine = DockerMachine(engine, settings, SealKey.generate(), tenant.identity)
        await machine.recover()
        assert machine.tenant is None
        for port in (tenant.port, tenant.port + 1, tenant.port + 7):
            (await asyncio.start_server(lambda reader, writer: None, HERE, port)).close()
        await until_ended(standing.pid, tenant)
        assert not list(tenant.directory.glob("*.sock"))


async def test_container__is_removed_while_no_agent_is_there__gateway_ends(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    tenant.home.rmdir()
    await until_ended(pid, tenant)


async def test_control_socket__is_removed__gateway_ends_because_nobody_could_end_it(tenant: Tenant) -> None:
    pid = await pid_of(tenant)
    [path] = tenant.directory.glob("*.sock")
    path.unlink()
    await until_ended(pid, tenant)


def test_paid_time__told_moved_and_forgotten__is_as_last_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    file = tmp_path / "deadline"
    paid = PaidTime(file)
    assert not paid.is_over(), "the agent has yet to tell one"
    file.write_text(f"{now + 10:.0f}\n")
    assert not paid.is_over()
    file.unlink()
    now += 9
    assert not paid.is_over()
    now += 1
    assert paid.is_over(), "the watchdog removes the file of a tenant that it has stopped"
    file.write_text(f"{now + 1:.0f}\n")
    assert not paid.is_over()
    assert not PaidTime(None).is_over()
    untold = PaidTime(tmp_path / "none")
    now += 600
    assert untold.is_over()


async def test_start__port_is_taken__is_the_machines_fault_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with tenant_in(tmp_path, monkeypatch) as tenant:
        async with await asyncio.start_server(lambda reader, writer: None, HERE, tenant.port + 7):
            with pytest.raises(MachineFault, match=f"The terminal cannot listen on {HERE}:{tenant.port + 7}"):
                await tenant.handle.serve(tenant.opening)
        assert await tenant.handle.standing() is None
        await tenant.handle.serve(tenant.opening)
        assert await inside(tenant.connection, "echo free") == (0, "free\n")


async def test_control_socket__asked_by_another_user__answers_nothing(tenant: Tenant) -> None:
    if os.geteuid() != 0:
        pytest.skip("becoming another user needs root")
    [path] = tenant.directory.glob("*.sock")
    assert path.stat().st_mode & 0o777 == 0o600 and tenant.directory.stat().st_mode & 0o777 == 0o700
    ask = (
        "import os, socket, sys\n"
        "os.chdir(sys.argv[1])\n"
        f"os.setuid({NOBODY})\n"
        "with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:\n"
        "    asking.connect(sys.argv[2])\n"
        "    try:\n"
        "        asking.sendall(sys.argv[3].encode())\n"
        "        print(asking.recv(1000))\n"
        "    except (BrokenPipeError, ConnectionResetError):\n"
        "        print(b'')\n"
    )
    # As if the modes had not kept them out:
    tenant.directory.chmod(0o711)
    path.chmod(0o666)
    for request in (AskStanding(), HandOver()):
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", ask, str(tenant.directory), path.name, encode(request).decode()),
            stdout=asyncio.subprocess.PIPE,
        )
        answer, _ = await asking.communicate()
        assert answer == b"b''\n"
    path.chmod(0o600)
    assert await inside(tenant.connection, "echo undisturbed") == (0, "undisturbed\n")


async def test_gateway__at_its_start__has_no_settings_of_the_agent_and_can_gain_no_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GPU_MARKET_KEYPAIR", "secret")
    async with tenant_in(tmp_path, monkeypatch) as tenant:
        await tenant.handle.serve(tenant.opening)
        pid = await pid_of(tenant)
        shown = proc(pid)
        assert "secret" not in shown["environ"]
        assert tenant.opening.admission.password not in shown["cmdline"]
        assert "NoNewPrivs:\t1\n" in shown["status"]
        with capsys.disabled():
            print(f"\nA gateway: {memory(shown, 'Rss') / 2**20:.0f} MiB resident, ", end="")
            own = memory(shown, "Private_Clean") + memory(shown, "Private_Dirty")
            print(f"{own / 2**20:.0f} MiB its own")
        assert memory(shown, "Rss") < MOST_MEMORY


def proc(pid: int) -> dict[str, str]:
    """A process as the kernel shows it, by the names of the files."""
    names = ("environ", "cmdline", "status", "smaps_rollup")
    return {name: Path(f"/proc/{pid}/{name}").read_text() for name in names}


def memory(shown: dict[str, str], name: str) -> int:
    """Bytes of memory of a kind."""
    [line] = [line for line in shown["smaps_rollup"].splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) * 1024


def test_log__a_stranger_writes_without_end__stays_within_two_files(tmp_path: Path) -> None:
    log, lines = tmp_path / "gateway.log", 50_000
    child = os.fork()
    if not child:
        written = LogFile(log)
        for _ in range(lines):
            written.write("password_wrong " * 10 + "\n")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"gateway.log", "gateway.old"}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 3 * 2**20


async def test_control_socket__garbage__harms_nobody(tenant: Tenant) -> None:
    for said in (b"", b"{}", b"\xff" * 1000, b'{"type":"Taken"}'):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.settimeout(PATIENCE)
            with short_path(tenant.directory, f"{LISTING}.sock") as path:
                asking.connect(path)
            asking.sendall(said)
    assert await inside(tenant.connection, "echo undisturbed") == (0, "undisturbed\n")
