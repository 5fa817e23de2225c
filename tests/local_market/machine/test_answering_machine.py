"""A simulated machine from its order to its end: programs, output, files, ports, hardware and a restart."""

from __future__ import annotations

import asyncio
import ssl
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from anchor_client.rules.gpu_match import models_named
from host_agent.ssh.output import OutputWanted
from local_market.machine import machine as machine_module
from local_market.machine.emulated import CANNOT
from local_market.machine.reports import LIAR, driver_name
from local_market.machines import machines_by_region
from market_cli.machine.check import compare
from market_cli.machine.questions import ask
from tests.indexer.service import until
from tests.local_market.machine.conftest import OTHER, RENTAL, Host, listing_of, logged_in, order_of
from tests.processes.patience import PATIENCE

SERVER = """perl -MSocket -e '
  socket S, PF_INET, SOCK_STREAM, 0; setsockopt S, SOL_SOCKET, SO_REUSEADDR, 1;
  bind S, sockaddr_in(8000, INADDR_ANY); listen S, 5; syswrite STDOUT, "listening\\n";
  while (accept C, S) { sysread C, $asked, 9999; syswrite C, "HTTP/1.0 200 OK\\r\\n\\r\\nmine"; close C }'"""


async def printed(tenant: asyncssh.SSHClientConnection, *, follow: bool = False, tail: int | None = None) -> str:
    process = await tenant.create_process(subsystem=OutputWanted(follow, tail).subsystem())
    return str((await process.wait()).stdout)


async def until_printed(tenant: asyncssh.SSHClientConnection, text: str) -> None:
    async def is_printed() -> bool:
        return text in await printed(tenant)

    await until(is_printed, PATIENCE)


@pytest.mark.usefixtures("sandboxed")
async def test_machine__order_with_command__its_output_environment_and_workspace_are_the_tenants(hosting: Any) -> None:
    command = "echo $RUN in $PWD; echo 2; echo 3; echo result > out.txt"
    async with hosting() as host, logged_in(await host.rent(command=command, env={"RUN": "first"})) as tenant:
        assert await printed(tenant, follow=True) == "first in /workspace\n2\n3\n"
        assert await printed(tenant, tail=1) == "3\n"
        assert (await tenant.run("cat out.txt; exit 7")).exit_status == 7
        async with tenant.start_sftp_client() as files:
            async with files.open("given", "w") as given:
                await given.write("by sftp")
            async with files.open("out.txt") as result:
                assert await result.read() == "result\n"
        assert (await tenant.run("cat given; cat", input=" and more")).stdout == "by sftp and more"


@pytest.mark.usefixtures("sandboxed")
async def test_machine__terminal__is_the_shells_own(hosting: Any) -> None:
    async with hosting() as host, logged_in(await host.rent()) as tenant:
        shell = await tenant.create_process(term_type="xterm", term_size=(77, 33))
        shell.stdin.write("stty size; sleep 50 &\njobs; exit 3\n")
        async with asyncio.timeout(PATIENCE):
            done = await shell.wait()
        said = str(done.stdout)
        assert "A simulated H100 PCIe: there is no GPU here" in said
        assert "33 77" in said and "Running" in said and "job control" not in said
        assert done.exit_status == 3


@pytest.mark.usefixtures("sandboxed")
async def test_machine__ports_of_the_order__reach_its_program_alone(hosting: Any) -> None:
    ports = [{"port": 8000, "protocol": "http"}, {"port": 9000, "protocol": "tcp"}]
    async with hosting() as host:
        connection = await host.rent(command=SERVER, ports=ports)
        async with logged_in(connection) as tenant:
            await until_printed(tenant, "listening")
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        assert b"mine" in await asked(connection.https[8000], trusting)
        assert await asked(connection.ports[9000], None) == b""
    with pytest.raises(ConnectionRefusedError):
        await asked(connection.https[8000], trusting)


async def asked(port: int, context: ssl.SSLContext | None) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    try:
        async with asyncio.timeout(PATIENCE):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


@pytest.mark.usefixtures("sandboxed")
async def test_machine__started_again__goes_on_with_password_ports_and_files(hosting: Any) -> None:
    async with hosting() as host:
        first = await host.rent(command="echo started")
        async with logged_in(first) as tenant:
            await tenant.run("echo kept > kept")
    with pytest.raises(ConnectionRefusedError):
        async with logged_in(first):
            pass
    async with hosting() as host:
        assert host.machine.tenant == RENTAL
        assert host.machine.connection(RENTAL, order_of()).password == first.password
        assert await host.machine.holds(RENTAL) and not await host.machine.holds(OTHER)
        async with logged_in(first) as tenant:
            assert (await tenant.run("cat kept")).stdout == "kept\n"


@pytest.mark.usefixtures("sandboxed")
async def test_machine__until_exit__tells_the_commands_exit_code_also_after_a_restart(hosting: Any) -> None:
    async with hosting() as host:
        await host.rent(command="exit 5", until_exit=True)

        async def ended() -> bool:
            return await host.machine.exit_code(RENTAL) == 5

        await until(ended, PATIENCE)
    async with hosting() as host:
        assert await host.machine.holds(RENTAL)
        assert await host.machine.exit_code(RENTAL) == 5


@pytest.mark.usefixtures("sandboxed")
async def test_machine__checkpoint__runs_in_the_workspace_and_is_cut_off_in_time(hosting: Any) -> None:
    async with hosting() as host, logged_in(await host.rent(checkpoint="echo saved; exec sleep 100")) as tenant:
        await host.machine.checkpoint(RENTAL, 0.5)
        assert await printed(tenant) == "saved\n"


OF_EIGHT = next(
    (region, number)
    for region, specs in machines_by_region().items()
    for number, spec in enumerate(specs)
    if spec.gpu_count == 8
)


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(("region", "number"), [("us-east", 0), OF_EIGHT, LIAR])
async def test_machine__verified__is_as_listed_unless_it_is_the_liar(hosting: Any, region: str, number: int) -> None:
    async with hosting(region, number) as host:
        found = compare(listing_of(region, number), await ask(await host.rent()))
    less = {each.what for each in found if each.agrees is False}
    assert less == ({"GPU", "VRAM of each"} if (region, number) == LIAR else set())
    driver = next(each.found for each in found if each.what == "driver")
    assert "simulated" in driver


def test_reports__every_seeded_model__is_named_as_its_driver_would() -> None:
    for specs in machines_by_region().values():
        for spec in specs:
            assert spec.gpu_model in [model.id for model in models_named(driver_name(spec.gpu_model))]


async def test_machine__no_namespaces__says_so_and_answers_a_few_commands(
    hosting: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = tmp_path / "no-tools"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    async with hosting() as host, logged_in(await host.rent(command="echo never")) as tenant:
        assert (await tenant.run("echo 'a b'")).stdout == "a b\n"
        refused = await tenant.run("python3 train.py")
        assert refused.exit_status == 127 and CANNOT in str(refused.stdout)
        assert CANNOT in await printed(tenant)
        with pytest.raises(asyncssh.SFTPError, match="no namespaces"):
            await (await tenant.start_sftp_client()).listdir(".")
        shell = await tenant.create_process(term_type="xterm")
        shell.stdin.write("nvidia-smi\rexit\r")
        async with asyncio.timeout(PATIENCE):
            done = await shell.wait()
        assert "A simulated H100 PCIe" in str(done.stdout) and done.exit_status == 0


async def test_machine__own_shell__runs_programs_of_this_computer_and_says_so(hosting: Any) -> None:
    async with hosting(own_shell=True) as host, logged_in(await host.rent(command="echo here")) as tenant:
        assert (await tenant.run(f"[ -e {sys.executable} ] && pwd")).stdout == f"{host.folder / 'workspace'}\n"
        assert (await tenant.run("nvidia-smi -L")).stdout == "GPU 0: NVIDIA H100 PCIe (UUID: GPU-simulated-0)\n"
        assert await printed(tenant, follow=True) == "here\n"


async def test_machine__two_of_them__have_ports_of_their_own(hosting: Any) -> None:
    async with AsyncExitStack() as stack:
        hosts: list[Host] = [
            await stack.enter_async_context(hosting(number=number, own_shell=True)) for number in (0, 1)
        ]
        connections = [await host.rent() for host in hosts]
        assert connections[0].port != connections[1].port and connections[0].password != connections[1].password
        assert connections[0].host == machine_module.LOOPBACK
