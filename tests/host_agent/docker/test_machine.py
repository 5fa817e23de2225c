"""A machine of containers on a real Docker engine: one order at a time, and nothing left of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import asyncssh
import httpx
import pytest
from msgspec import structs
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import OrderDocument, PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import BACKGROUND, TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.images.rules import ImageRules
from host_agent.settings.machine import GIBIBYTE, ContainerLimits, MachineSettings
from tests.host_agent.docker.engine import BARE_IMAGE, IMAGE, OwnEngine
from tests.host_agent.docker.machines import settings_here
from tests.host_agent.ssh import inside, logged_in
from tests.processes.patience import PATIENCE

pytestmark = [
    pytest.mark.docker,
    pytest.mark.xdist_group("up"),
]  # one engine a run: each takes the firewall's chains for its own
KEY = SealKey.generate()
FILTERED = 2
"""As the kernel says of a process whose system calls a profile bounds."""


@pytest.fixture
async def connected(engine: OwnEngine) -> AsyncIterator[Engine]:
    async with Engine.connect(engine.url) as opened:
        yield opened


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here(background=Workload(image=IMAGE, command="exec sleep 1000", env={"JOB": "idle"}))


@pytest.fixture
def identity(tmp_path: Path) -> MachineIdentity:
    return MachineIdentity.load_or_create(tmp_path, "127.0.0.1")


@pytest.fixture
async def machine(
    connected: Engine, settings: MachineSettings, identity: MachineIdentity
) -> AsyncIterator[DockerMachine]:
    made = DockerMachine(connected, settings, KEY, identity)
    yield made
    await made.vacate()
    await DockerMachine(connected, replace(settings, background=None), KEY, identity).idle()


def order(**parts: object) -> OrderDocument:
    return Workload.of(**{"image": IMAGE, **parts}).for_renter(SealKey.generate().public)


async def test_provision__after_the_background_job__order_alone_has_the_machine(
    engine: OwnEngine, connected: Engine, machine: DockerMachine, settings: MachineSettings
) -> None:
    await machine.idle()
    background, tenant = (name_of(settings.listing, role) for role in (BACKGROUND, TENANT))
    assert "JOB=idle" in engine.run_in(background, "env")
    rental, wanted = Pubkey.new_unique(), order(command="echo hello; exit 3", env={"NAME": "a b\n'c'"})
    await machine.provision(rental, wanted)
    assert machine.tenant == rental
    assert await machine.holds(rental) and not await machine.holds(Pubkey.new_unique())
    assert {background, tenant} & engine.names("ps", "--all") == {tenant}
    connection = machine.connection(rental, wanted)
    assert await inside(connection, 'echo "$NAME"') == (0, "a b\n'c'\n")
    assert "hello" in engine.docker("logs", tenant)
    assert engine.inspect(tenant)["HostConfig"]["CapDrop"] == ["MKNOD", "NET_RAW"]
    assert await inside(connection, "grep NoNewPrivs /proc/1/status") == (0, "NoNewPrivs:\t1\n")
    assert await inside(connection, "grep NoNewPrivs /proc/self/status") == (0, "NoNewPrivs:\t1\n")
    for process in ("1", "self"):
        assert await inside(connection, f"grep Seccomp: /proc/{process}/status") == (0, f"Seccomp:\t{FILTERED}\n")
    assert (await connected.isolation()).has_seccomp


async def test_vacate__tenant_has_written_everywhere__next_one_finds_nothing(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    places = ("/secret", "/data/secret", "/dev/shm/secret", "/tmp-secret")
    write = "; ".join(f"echo mine > {place}" for place in places)
    before = engine.names("volume", "ls"), engine.names("network", "ls")
    first, second, wanted = Pubkey.new_unique(), Pubkey.new_unique(), order()
    await machine.provision(first, wanted)
    connection = machine.connection(first, wanted)
    assert await inside(connection, f"{write}; cat {' '.join(places)}") == (0, "mine\n" * 4)
    assert engine.names("volume", "ls") - before[0]
    await machine.vacate()
    assert machine.tenant is None
    assert name_of(settings.listing, TENANT) not in engine.names("ps", "--all")
    assert (engine.names("volume", "ls"), engine.names("network", "ls")) == before
    with pytest.raises(ConnectionRefusedError):
        await inside(connection)
    await machine.provision(second, wanted)
    status, found = await inside(machine.connection(second, wanted), f"ls {' '.join(places)} 2>/dev/null")
    assert status != 0 and found == ""
    with pytest.raises(asyncssh.PermissionDenied):
        await inside(connection)


async def test_recover__agent_was_killed__tenant_keeps_files_password_and_ports(
    connected: Engine, machine: DockerMachine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    rental, wanted = Pubkey.new_unique(), order(ports=(PortForward(port=80),))
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    assert await inside(connection, "echo kept > /kept") == (0, "")
    await machine.close()
    again = DockerMachine(connected, settings, KEY, identity)
    await again.recover()
    assert again.tenant == rental and await again.holds(rental)
    assert again.connection(rental, wanted) == connection
    assert await inside(connection, "cat /kept") == (0, "kept\n")
    await again.close()


async def test_recover__killed_between_network_and_container__is_wiped(
    engine: OwnEngine, connected: Engine, machine: DockerMachine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    rental = Pubkey.new_unique()
    await machine.provision(rental, order())
    engine.docker("rm", "--force", "--volumes", name_of(settings.listing, TENANT))
    again = DockerMachine(connected, settings, KEY, identity)
    await again.recover()
    assert again.tenant == rental and not await again.holds(rental)
    await machine.close()
    await again.vacate()
    assert name_of(settings.listing, TENANT) not in engine.names("network", "ls")


async def test_holds__container_was_stopped_by_hand__runs_again(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    assert await inside(machine.connection(rental, wanted), "echo kept > /kept") == (0, "")
    engine.docker("stop", "--time", "0", name_of(settings.listing, TENANT))
    assert await machine.holds(rental)
    assert await inside(machine.connection(rental, wanted), "cat /kept") == (0, "kept\n")


async def test_provision__twice__container_is_left_alone(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    first = engine.inspect(name_of(settings.listing, TENANT))["Id"]
    await machine.provision(rental, wanted)
    assert engine.inspect(name_of(settings.listing, TENANT))["Id"] == first


async def test_provision__ports_named__are_reached_where_the_connection_says(
    machine: DockerMachine,
) -> None:
    serve = "mkdir /www; echo served > /www/index.html; exec httpd -f -p 8080 -h /www"
    rental, wanted = Pubkey.new_unique(), order(command=serve, ports=(PortForward(port=8080),))
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    async with httpx.AsyncClient(timeout=PATIENCE) as client, asyncio.timeout(PATIENCE):
        while True:
            try:
                answer = await client.get(f"http://{connection.host}:{connection.ports[8080]}/")
            except httpx.TransportError:
                await asyncio.sleep(0.1)
            else:
                break
    assert answer.text == "served\n"


async def test_connection__jupyter_token_and_five_ports__each_has_a_port_of_the_machine(
    machine: DockerMachine, settings: MachineSettings
) -> None:
    wanted = order(ports=tuple(PortForward(port=port) for port in range(1, 6)), jupyter_token="t")
    found = machine.connection(Pubkey.new_unique(), wanted)
    assert (sorted(found.ports), sorted(found.https)) == ([1, 2, 3, 4, 5], [8888])
    assert len({*found.ports.values(), *found.https.values(), found.port}) == 7
    assert Connection.opened(found.sealed(KEY.public), KEY) == found


async def test_ssh__wrong_password_other_key__refused_and_the_named_key_let_in(machine: DockerMachine) -> None:
    mine, other = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    rental = Pubkey.new_unique()
    wanted = order(ssh_key=mine.export_public_key().decode().strip())
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    wrong = structs.replace(connection, password=connection.password[:-1] + "!")
    with pytest.raises(asyncssh.PermissionDenied):
        await inside(wrong, "true")
    with pytest.raises(asyncssh.PermissionDenied):
        await inside(connection, "true", password=None, client_keys=[other])
    assert await inside(connection, "echo in", password=None, client_keys=[mine]) == (0, "in\n")


async def test_ssh__input_exit_codes_and_terminals__are_passed_on(machine: DockerMachine) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    assert await inside(connection, "cat; exit 7", given="typed") == (7, "typed")
    big = "x" * 300_000
    assert await inside(connection, "wc -c", given=big) == (0, "300000\n")
    assert await inside(connection, "test -t 0") == (1, "")
    async with (
        logged_in(connection) as ssh,
        ssh.create_process(term_type="xterm", term_size=(97, 31)) as shell,
    ):
        shell.stdin.write("stty size; echo $TERM; exit 5\n")
        said = await shell.wait()
        at_its_end = await ssh.run("cat; stty size", input="typed\n", term_type="xterm", term_size=(80, 25))
    assert str(at_its_end.stdout).split()[-2:] == ["25", "80"]
    assert said.exit_status == 5
    assert "31 97" in str(said.stdout) and "xterm" in str(said.stdout)


async def test_ssh__port_of_the_host__is_not_reached(machine: DockerMachine) -> None:
    rental, wanted = Pubkey.new_unique(), order()
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    async with logged_in(connection) as ssh:
        reader, _ = await ssh.open_connection("127.0.0.1", connection.port)
        assert await reader.read() == b""
        with pytest.raises(asyncssh.ChannelOpenError, match="localhost"):
            await ssh.open_connection("10.0.0.1", connection.port)


async def test_provision__image_without_what_it_should_run__order_is_refused(machine: DockerMachine) -> None:
    rental = Pubkey.new_unique()
    for nothing in ({"image": BARE_IMAGE}, {"image": BARE_IMAGE, "command": "true"}):
        with pytest.raises(OrderRefused):
            await machine.provision(rental, order(**nothing))
        assert machine.tenant == rental


async def test_provision__command_leaves_orphans__they_are_buried(machine: DockerMachine) -> None:
    rental, wanted = Pubkey.new_unique(), order(command="true")
    await machine.provision(rental, wanted)
    connection = machine.connection(rental, wanted)
    assert await inside(connection, "(sleep 0 &) ; (sleep 0.2 &)") == (0, "")
    status, states = await inside(connection, "sleep 1; cat /proc/[0-9]*/stat")
    assert status == 0 and ") S " in states and ") Z " not in states


async def test_provision__gpus_on_an_engine_that_has_none__is_the_machines_fault(
    connected: Engine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    assert not await connected.knows_gpus()
    machine = DockerMachine(connected, replace(settings, gpus=("all",)), KEY, identity)
    with pytest.raises(MachineFault, match="gpu"):
        await machine.provision(Pubkey.new_unique(), order())
    await machine.vacate()


async def test_provision__port_is_taken__is_the_machines_fault(
    machine: DockerMachine, settings: MachineSettings
) -> None:
    other = await asyncio.start_server(lambda reader, writer: None, settings.bind, settings.ssh_port)
    async with other:
        with pytest.raises(MachineFault, match=str(settings.ssh_port)):
            await machine.provision(Pubkey.new_unique(), order())


async def test_vacate__wipe_command_fails__tenant_stays_until_it_succeeds(
    connected: Engine, settings: MachineSettings, identity: MachineIdentity, tmp_path: Path
) -> None:
    done = tmp_path / "done"
    machine = DockerMachine(connected, replace(settings, wipe_command=("test", "-e", str(done))), KEY, identity)
    rental = Pubkey.new_unique()
    await machine.provision(rental, order())
    with pytest.raises(MachineFault, match="ended with 1"):
        await machine.vacate()
    assert machine.tenant == rental
    again = DockerMachine(connected, settings, KEY, identity)
    await again.recover()
    assert again.tenant == rental
    done.touch()
    await machine.vacate()
    assert machine.tenant is None


async def test_vacate__something_else_hangs_on_the_tenants_network__is_not_wiped_yet(
    engine: OwnEngine, machine: DockerMachine, settings: MachineSettings
) -> None:
    rental, network = Pubkey.new_unique(), name_of(settings.listing, TENANT)
    await machine.provision(rental, order())
    guest = engine.docker("run", "--detach", "--network", network, IMAGE, "sleep", "100").strip()
    with pytest.raises(MachineFault, match="active endpoints"):
        await machine.vacate()
    assert machine.tenant == rental
    engine.docker("rm", "--force", "--volumes", guest)
    await machine.vacate()
    assert machine.tenant is None


async def test_vacate__image_came_with_the_tenant__goes_with_him(
    engine: OwnEngine, machine: DockerMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "gpu-market-test/own:1"
    pulled = machine._engine.pull

    async def pull(parts: Workload, rules: ImageRules) -> None:
        engine.docker("tag", IMAGE, own)
        await pulled(parts, rules)

    monkeypatch.setattr(machine._engine, "pull", pull)
    await machine.provision(Pubkey.new_unique(), order(image=own))
    await machine.vacate()
    images = engine.docker("images", "--format", "{{.Repository}}:{{.Tag}}").split()
    assert own not in images and IMAGE in images


async def test_idle__background_job_changed__old_one_gives_way(
    engine: OwnEngine, connected: Engine, machine: DockerMachine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    name = name_of(settings.listing, BACKGROUND)
    await machine.idle()
    first = engine.inspect(name)["Id"]
    await machine.idle()
    assert engine.inspect(name)["Id"] == first
    changed = replace(settings, background=Workload(image=IMAGE, command="exec sleep 2000"))
    await DockerMachine(connected, changed, KEY, identity).idle()
    assert engine.inspect(name)["Config"]["Cmd"] == ["exec sleep 2000"]
    engine.docker("stop", "--time", "0", name)
    await DockerMachine(connected, changed, KEY, identity).idle()
    assert engine.inspect(name)["State"]["Running"]


async def test_idle__background_image_cannot_be_had__machine_can_still_be_rented(
    connected: Engine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    missing = replace(settings, background=Workload(image="gpu-market-test/missing:1"))
    machine = DockerMachine(connected, missing, KEY, identity)
    await machine.idle()
    rental = Pubkey.new_unique()
    await machine.provision(rental, order())
    assert await machine.holds(rental)
    await machine.vacate()


async def test_provision__limits__are_the_containers(
    engine: OwnEngine, connected: Engine, settings: MachineSettings, identity: MachineIdentity
) -> None:
    limits = ContainerLimits(memory_bytes=GIBIBYTE, shared_memory_bytes=GIBIBYTE // 2, cpus=0.5, processes=100)
    machine = DockerMachine(connected, replace(settings, limits=limits), KEY, identity)
    await machine.provision(Pubkey.new_unique(), order())
    told = engine.inspect(name_of(settings.listing, TENANT))["HostConfig"]
    assert (told["Memory"], told["ShmSize"], told["NanoCpus"], told["PidsLimit"]) == (2**30, 2**29, 500_000_000, 100)
    await machine.vacate()


async def test_connect__nobody_listens__is_said_with_a_remedy(tmp_path: Path) -> None:
    async with Engine.connect(f"unix://{tmp_path / 'none.sock'}") as nothing:
        with pytest.raises(MachineFault, match="Cannot connect"):
            await nothing.containers()
