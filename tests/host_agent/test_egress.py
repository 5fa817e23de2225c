"""Reach of a renter's program from its container: the internet, and nothing of the host's."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from anchor_client.orders import OrderDocument, PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import TENANT, name_of
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import HostConfigurationError, MachineFault
from host_agent.identity import MachineIdentity
from host_agent.network import egress
from host_agent.network.egress import INWARDS, ONWARDS, Egress, parse_network
from host_agent.network.firewall_watch import FirewallWatch
from host_agent.settings.machine import ContainerLimits, MachineSettings
from tests.host_agent.docker.engine import IMAGE, OwnEngine, require
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

SAID = "a service of the host's"
NEIGHBOUR = "10.213.7.1"
METADATA = "169.254.169.254"
ANY = "0.0.0.0"
INTERNET = "203.0.113.9"
"""Of no private network; as NEIGHBOUR_BEYOND, the address of another machine."""
NEIGHBOUR_BEYOND, CLOUD_BEYOND = "10.213.8.9", "169.254.213.9"
WEB, MAIL = 80, 25
ANSWERING = """
import asyncio
async def answer(reader, writer):
    writer.write(b"a service of the host's")
    writer.close()
async def main():
    servers = [await asyncio.start_server(answer, "0.0.0.0", port) for port in (80, 25)]
    print("ready", flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))
asyncio.run(main())
"""


@pytest.mark.parametrize("text", ["10.1.2.0/24", "10.1.2.3", "fd00::/8"])
def test_parse_network__as_people_write_them__network(text: str) -> None:
    assert str(parse_network(text)).startswith(text.partition("/")[0])


@pytest.mark.parametrize("text", ["", "example.com", "10.1.2.3/24", "10.0.0.0/33"])
def test_parse_network__no_network__refused(text: str) -> None:
    with pytest.raises(HostConfigurationError, match="not a network"):
        parse_network(text)


def test_bridge__of_any_listing__has_a_name_that_the_kernel_takes() -> None:
    listing = Pubkey.new_unique()
    names = [
        Egress(is_open=is_open).bridge_of(each) for is_open in (True, False) for each in (listing, Pubkey.new_unique())
    ]
    assert max(map(len, names)) <= 15 and len(set(names)) == 4


def test_rules__name_servers_of_the_machine_and_of_systemd__are_reached_for_names_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, of_systemd, none = tmp_path / "own", tmp_path / "systemd", tmp_path / "none"
    own.write_text("nameserver 127.0.0.53\noptions edns0 trust-ad\n")
    of_systemd.write_text("nameserver 192.168.1.1\nnameserver 127.0.0.53\nnameserver fe80::1%eth0\nsearch lan\n")
    monkeypatch.setattr(egress, "RESOLVERS", (own, of_systemd, none))
    rules = list(Egress()._rules(4))
    reached = [rule.split()[3] for rule in rules if "--dport 53 -j RETURN" in rule and " udp " in rule]
    assert reached == ["127.0.0.53", "192.168.1.1"]
    router = f"-A {ONWARDS} -d 192.168.1.1 -p tcp --dport 53 -j RETURN"
    assert rules.index(router) < rules.index(f"-A {ONWARDS} -d 192.168.0.0/16 -j REJECT")
    assert f"-A {ONWARDS} -d 168.63.129.16/32 -j REJECT" in rules
    carried = ("64:ff9b::a9fe:0/112", "64:ff9b::a83f:8110/128", "2002:a9fe::/32", "2002:a00::/24", "fec0::/10")
    assert {f"-A {ONWARDS} -d {each} -j REJECT" for each in carried} <= set(Egress()._rules(6))
    assert f"-A {ONWARDS} -d fe80::1 -p udp --dport 53 -j RETURN" in Egress()._rules(6)


async def test_firewall__not_there__is_said_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostConfigurationError, match="iptables"):
        await Egress().require_firewall()
    await Egress(is_open=True).require_firewall()


@asynccontextmanager
async def tenant(engine: OwnEngine, egress: Egress, tmp_path: Path) -> AsyncIterator[tuple[DockerMachine, str, str]]:
    """A machine with a tenant, the tenant's container, and the address at which it sees its host."""
    settings = MachineSettings(
        listing=Pubkey.new_unique(),
        address="127.0.0.1",
        first_port=free_ports(8),
        gpus=(),
        limits=ContainerLimits(shared_memory_bytes=64 * 2**20),
        egress=egress,
    )
    name = name_of(settings.listing, TENANT)
    async with Engine.connect(engine.url) as connected:
        identity = MachineIdentity.load_or_create(tmp_path, settings.address)
        machine = DockerMachine(connected, settings, SealKey.generate(), identity)
        try:
            await machine.provision(Pubkey.new_unique(), order())
            network = engine.inspect(name)["NetworkSettings"]["Networks"][name]
            yield machine, name, network["Gateway"]
        finally:
            await machine.vacate()


def order() -> OrderDocument:
    answer = "while :; do echo mine | nc -l -p 80; done"
    return Workload(image=IMAGE, command=answer, ports=(PortForward(port=80),)).for_renter(SealKey.generate().public)


@asynccontextmanager
async def service() -> AsyncIterator[int]:
    """A port of the host at which it says something."""

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(SAID.encode())
        writer.close()

    async with await asyncio.start_server(answer, ANY, 0) as server:
        yield server.sockets[0].getsockname()[1]


async def reached(engine: OwnEngine, name: str, address: str, port: int) -> str:
    """Answer that a tenant's program gets at an address; empty where it does not get there."""
    command = ("docker", "--host", engine.url, "exec", name, "nc", "-w", "3", address, str(port))
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    told, _ = await process.communicate()
    return told.decode()


@pytest.fixture
def addresses() -> object:
    """The host is also at an address of a private network, and at the one where clouds tell of credentials."""
    for address in (NEIGHBOUR, METADATA):
        subprocess.run(["ip", "address", "replace", f"{address}/32", "dev", "lo"], check=True)
    yield
    for address in (NEIGHBOUR, METADATA):
        subprocess.run(["ip", "address", "del", f"{address}/32", "dev", "lo"], check=True)


@pytest.fixture
def beyond() -> Iterator[Sequence[str]]:
    """Addresses of another machine, which is reached through this one and answers at WEB and MAIL."""
    name, near, far = "gpu-market-test", "gpumt0", "gpumt1"
    addresses = (INTERNET, NEIGHBOUR_BEYOND, CLOUD_BEYOND)
    inside = ("ip", "-n", name)
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name], check=True)
        for each in addresses:
            gateway = f"{each.rpartition('.')[0]}.1"
            subprocess.run(["ip", "address", "add", f"{gateway}/24", "dev", near], check=True)
            subprocess.run([*inside, "address", "add", f"{each}/24", "dev", far], check=True)
        subprocess.run(["ip", "link", "set", near, "up"], check=True)
        subprocess.run([*inside, "link", "set", far, "up"], check=True)
        command = ["ip", "netns", "exec", name, sys.executable, "-c", ANSWERING]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as serving:
            assert serving.stdout is not None and serving.stdout.readline() == b"ready\n"
            yield addresses
            serving.kill()
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


def own_address() -> str:
    """The machine's address in its own network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__the_hosts_services__are_out_of_reach(engine: OwnEngine, tmp_path: Path, addresses: None) -> None:
    async with service() as port:
        async with tenant(engine, Egress(is_open=True), tmp_path) as (_, name, gateway):
            everywhere = (gateway, NEIGHBOUR, METADATA, own_address())
            assert [await reached(engine, name, address, port) for address in everywhere] == [SAID] * 4
        async with tenant(engine, Egress(), tmp_path) as (_, name, gateway):
            everywhere = (gateway, NEIGHBOUR, METADATA, own_address())
            assert [await reached(engine, name, address, port) for address in everywhere] == [""] * 4


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__neighbour_on_the_same_machine__is_out_of_reach(engine: OwnEngine, tmp_path: Path) -> None:
    async with (
        tenant(engine, Egress(), tmp_path) as (_, one, _),
        tenant(engine, Egress(), tmp_path) as (_, other, _),
    ):
        networks = engine.inspect(other)["NetworkSettings"]["Networks"]
        assert await reached(engine, other, "127.0.0.1", WEB) == "mine\n"
        assert await reached(engine, one, networks[other]["IPAddress"], WEB) == ""


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__network_is_allowed__is_reached_and_nothing_else(
    engine: OwnEngine, tmp_path: Path, addresses: None
) -> None:
    async with service() as port, tenant(engine, Egress((parse_network(NEIGHBOUR),)), tmp_path) as (_, name, gateway):
        assert await reached(engine, name, NEIGHBOUR, port) == SAID
        assert await reached(engine, name, gateway, port) == ""


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__other_machines__only_the_internet_is_reached_and_no_mail_server(
    engine: OwnEngine, tmp_path: Path, beyond: Sequence[str]
) -> None:
    async def found(name: str) -> set[tuple[str, int]]:
        everywhere = [(address, port) for address in beyond for port in (WEB, MAIL)]
        told = [await reached(engine, name, *place) for place in everywhere]
        return {place for place, said in zip(everywhere, told, strict=True) if said == SAID}

    async with tenant(engine, Egress(is_open=True), tmp_path) as (_, name, _gateway):
        assert await found(name) == {(address, port) for address in beyond for port in (WEB, MAIL)}
    async with tenant(engine, Egress(), tmp_path) as (_, name, _gateway):
        assert await found(name) == {(INTERNET, WEB)}
    async with tenant(engine, Egress((parse_network(NEIGHBOUR_BEYOND),)), tmp_path) as (_, name, _gateway):
        assert await found(name) == {(INTERNET, WEB), (NEIGHBOUR_BEYOND, WEB), (NEIGHBOUR_BEYOND, MAIL)}


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_tenant__guarded__answers_at_its_forwarded_port(engine: OwnEngine, tmp_path: Path) -> None:
    async with tenant(engine, Egress(), tmp_path) as (machine, _, _gateway):
        port = machine._settings.first_port + 1
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        async with asyncio.timeout(PATIENCE):
            assert await reader.readline() == b"mine\n"
        writer.close()


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_rules__set_again_and_once_removed__are_there_once(engine: OwnEngine, tmp_path: Path) -> None:
    async with tenant(engine, Egress(), tmp_path):
        await Egress().enforce()
        assert jumps() == [1, 1]
        firewall("-D", "INPUT", "-i", "gpum-+", "-j", INWARDS)
        await Egress().enforce()
        assert jumps() == [1, 1]


@pytest.mark.docker
@pytest.mark.xdist_group("up")
async def test_rules__firewall_refuses_them__is_the_machines_fault(
    engine: OwnEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "iptables-restore"
    refusing.write_text("#!/bin/sh\necho no such table; exit 3\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin")
    with pytest.raises(MachineFault, match="no such table"):
        await replace(Egress(), allowed=()).enforce()


def jumps() -> list[int]:
    """Number of jumps to each of the two chains."""
    rules = firewall("-S")
    return [rules.count(f"-j {chain}\n") for chain in (ONWARDS, INWARDS)]


def firewall(*arguments: str) -> str:
    """Runs iptables; returns its output."""
    return subprocess.run(["iptables", *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def own_firewall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """A firewall of the test's own, in a network of its own, that the agent's commands set."""
    require()
    name = f"gpu-market-{uuid4().hex[:8]}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    for program in ("iptables", "iptables-restore", "ip6tables", "ip6tables-restore"):
        wrapper = tmp_path / program
        wrapper.write_text(f'#!/bin/sh\nexec ip netns exec {name} {shutil.which(program)} "$@"\n')
        wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def iptables(*arguments: str) -> str:
        command = ["ip", "netns", "exec", name, "iptables", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    yield iptables
    subprocess.run(["ip", "netns", "delete", name], check=True)


@pytest.mark.docker
async def test_firewall__reloaded_or_flushed__rules_come_back_where_traffic_meets_them(
    own_firewall: Callable[..., str],
) -> None:
    watch = FirewallWatch(Egress())
    await watch.look()
    as_set = own_firewall("-S")
    assert f"-A INPUT -i gpum-+ -j {INWARDS}" in as_set and f"-A FORWARD -i gpum-+ -j {ONWARDS}" in as_set
    for reload in (
        [("-F",), ("-X",)],
        [("-F", ONWARDS)],
        [("-D", "INPUT", "-i", "gpum-+", "-j", INWARDS)],
        [("-D", ONWARDS, "-d", "10.0.0.0/8", "-j", "REJECT")],
    ):
        for each in reload:
            own_firewall(*each)
        assert own_firewall("-S") != as_set
        with capture_logs() as logs:
            await watch.look()
            await watch.look()
        assert own_firewall("-S") == as_set
        assert [each["event"] for each in logs] == ["firewall_rules_restored"]


@pytest.mark.docker
async def test_firewall__the_engines_chain_is_no_longer_asked__rules_move_to_one_that_is(
    own_firewall: Callable[..., str],
) -> None:
    own_firewall("-N", "DOCKER-USER")
    own_firewall("-A", "FORWARD", "-j", "DOCKER-USER")
    watch = FirewallWatch(Egress())
    await watch.look()
    assert f"-A DOCKER-USER -i gpum-+ -j {ONWARDS}" in own_firewall("-S")
    own_firewall("-F", "FORWARD")
    await watch.look()
    assert f"-A FORWARD -i gpum-+ -j {ONWARDS}" in own_firewall("-S")
