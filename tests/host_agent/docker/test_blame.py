"""Blame for an order that does not run, on a real Docker engine with a registry beside it."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, PortForward, Workload
from anchor_client.sealing import SealKey
from anchor_client.service.backoff import Backoff
from host_agent.docker import engine as engines
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused
from host_agent.identity import MachineIdentity
from host_agent.images.rules import ImageRules
from host_agent.settings.machine import MachineSettings
from tests.host_agent.docker import registry as registries
from tests.host_agent.docker.engine import BARE_IMAGE, IMAGE, OwnEngine, busybox, with_file
from tests.host_agent.docker.machines import machine_on, settings_here
from tests.host_agent.docker.registry import Registry
from tests.host_agent.ssh import inside
from tests.processes.ports import free_ports

pytestmark = [pytest.mark.docker, pytest.mark.xdist_group("up")]
MIB = 2**20
LOOPED = "gpu-market-test/looped:1"
"""Its shell is a link to itself."""


@pytest.fixture
async def registry() -> AsyncIterator[Registry]:
    async with registries.running() as running:
        yield running


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here()


@pytest.fixture
async def machine(engine: OwnEngine, settings: MachineSettings, tmp_path: Path) -> AsyncIterator[DockerMachine]:
    async with machine_on(engine, settings, tmp_path) as made:
        yield made


def architecture(engine: OwnEngine) -> str:
    """The machine's, as images name it."""
    return engine.docker("version", "--format", "{{.Server.Arch}}").strip()


def other_than(machine: str) -> str:
    return "arm64" if machine == "amd64" else "amd64"


def order(image: str = IMAGE, **parts: object) -> OrderDocument:
    return Workload.of(image=image, **parts).for_renter(SealKey.generate().public)


async def test_registry__does_not_answer_at_first__is_asked_again_and_the_order_runs(
    engine: OwnEngine, machine: DockerMachine, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    image, registry.is_up = registry.add("own/late", busybox(), architecture(engine)), False

    class Recovering(Backoff):
        def spread(self, failures: int) -> float:
            assert registry.turned_away
            registry.is_up = True
            return 0.0

    monkeypatch.setattr(engines, "TRY_AGAIN", Recovering(first=0.0, most=0.0))
    rental, wanted = Pubkey.new_unique(), order(image)
    await machine.provision(rental, wanted)
    assert registry.is_up
    assert await inside(machine.connection(rental, wanted), "echo in") == (0, "in\n")


@pytest.mark.parametrize(("vouched", "fault"), [(True, MachineFault), (False, OrderRefused)])
async def test_registry__never_answers__is_the_hosts_fault_if_they_vouch_for_it(
    engine: OwnEngine,
    settings: MachineSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vouched: bool,
    fault: type[Exception],
) -> None:
    waits: list[int] = []

    class Counting(Backoff):
        def spread(self, failures: int) -> float:
            waits.append(failures)
            return 0.0

    monkeypatch.setattr(engines, "TRY_AGAIN", Counting(first=0.0, most=0.0))
    nobody = f"127.0.0.1:{free_ports(1)}"
    rules = ImageRules(registries=(nobody,) if vouched else (), attempts=3)
    async with Engine.connect(engine.url) as connected:
        identity = MachineIdentity.load_or_create(tmp_path, "m")
        machine = DockerMachine(connected, replace(settings, images=rules), SealKey.generate(), identity)
        with pytest.raises(fault, match=f"The registry {nobody} cannot be reached: .*connection refused"):
            await machine.provision(Pubkey.new_unique(), order(f"{nobody}/own/image:1"))
        await machine.vacate()
    assert waits == [1, 2]


async def test_image__larger_than_the_host_takes__order_is_refused_while_it_comes(
    engine: OwnEngine, settings: MachineSettings, registry: Registry, tmp_path: Path
) -> None:
    image = registry.add("own/large", with_file(os.urandom(2 * MIB)), architecture(engine))
    async with machine_on(engine, replace(settings, images=ImageRules(max_bytes=MIB)), tmp_path) as machine:
        with pytest.raises(OrderRefused, match="larger than this host"):
            await machine.provision(Pubkey.new_unique(), order(image))


async def test_image__registry_gives_no_layer_in_time__order_is_refused(
    engine: OwnEngine, machine: DockerMachine, registry: Registry
) -> None:
    image = registry.add("own/slow", busybox(), architecture(engine))
    registry.gives_layers.clear()
    with pytest.raises(OrderRefused, match="did not arrive from"):
        await machine.provision(Pubkey.new_unique(), order(image), within=1)
    registry.gives_layers.set()


async def test_image__registry_has_none_or_for_other_machines_alone__order_is_refused_at_once(
    engine: OwnEngine, machine: DockerMachine, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "TRY_AGAIN", None)
    here = architecture(engine)
    foreign = other_than(here)
    for image, told in (
        (f"{registry.place}/own/missing:1", "manifest unknown"),
        (registry.add("own/listed", busybox(), foreign, listed=True), f"no matching manifest for linux/{here}"),
        (registry.add("own/single", busybox(), foreign), f"is for linux/{foreign}; this machine is linux/{here}"),
        (BARE_IMAGE, "No command specified"),
    ):
        with pytest.raises(OrderRefused, match=told):
            await machine.provision(Pubkey.new_unique(), order(image))
        await machine.vacate()


async def test_image__shell_that_cannot_be_executed__order_is_refused(
    engine: OwnEngine, machine: DockerMachine
) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        link = tarfile.TarInfo("bin/sh")
        link.type, link.linkname = tarfile.SYMTYPE, "sh"
        archive.addfile(link)
    engine.docker("import", "-", LOOPED, given=target.getvalue())
    with pytest.raises(OrderRefused, match="too many levels of symbolic links"):
        await machine.provision(Pubkey.new_unique(), order(LOOPED, command="true"))


async def test_port__taken_by_a_program_of_the_hosts__is_said_and_their_fault(
    machine: DockerMachine, settings: MachineSettings
) -> None:
    wanted = order(ports=(PortForward(port=80),))
    [port] = machine.connection(Pubkey.new_unique(), wanted).ports.values()
    async with await asyncio.start_server(lambda reader, writer: None, settings.bind, port):
        with pytest.raises(MachineFault, match=rf"port of the order is taken .*{port}") as fault:
            await machine.provision(Pubkey.new_unique(), wanted)
    assert "--first-port" in fault.value.remedy
