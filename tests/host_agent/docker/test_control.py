"""The party at fault for an order that does not start, told by a control start on a stand-in for an engine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import pytest
from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument, PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker import control
from host_agent.docker import machine as machines
from host_agent.docker.container import CONTROL, TENANT, name_of
from host_agent.docker.disk_use import LowestFree
from host_agent.docker.engine import Engine
from host_agent.docker.failures import engine_errors
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault, OrderRefused, OrderUnwanted, Unproven
from host_agent.identity import MachineIdentity
from host_agent.images.manifests import NotRead
from host_agent.images.registry import ImageRegistry
from host_agent.images.rules import FULL, ImageRules
from host_agent.listings.health_watch import HealthWatch
from host_agent.network.egress import Egress
from host_agent.pace import DEFAULT_PACE
from host_agent.settings.machine import MachineSettings
from host_agent.tenancy import Tenancy
from tests.host_agent.docker.machines import settings_here
from tests.host_agent.docker.stub import IMPORTED, StubEngine, stub_engine
from tests.processes.patience import PATIENCE

CASES: Final = json.loads((Path(__file__).parents[1] / "cases/engine_messages.json").read_text())
"""Messages of engines, and the party at fault."""
FAULTS: Final = {"host": MachineFault, "order": OrderRefused}
IMAGE: Final = "docker.io/own/image:1"


@pytest.fixture
async def stub() -> AsyncIterator[StubEngine]:
    async with stub_engine() as running:
        yield running


@pytest.fixture
async def connected(stub: StubEngine) -> AsyncIterator[Engine]:
    async with Engine.connect(stub.url) as opened:
        yield opened


@pytest.fixture
def settings() -> MachineSettings:
    return settings_here(egress=Egress(is_open=True), devices=("/dev/kfd",))


@pytest.fixture
def machine(connected: Engine, settings: MachineSettings, tmp_path: Path) -> DockerMachine:
    return machine_of(connected, settings, tmp_path)


class ShownImages(ImageRegistry):
    """A registry that shows an environment, or nothing."""

    def __init__(self, env: list[str] | None) -> None:
        super().__init__()
        self.env = env
        self.asked: list[tuple[str, str]] = []

    async def image_env(self, image: str, architecture: str) -> dict[str, str]:
        self.asked.append((image, architecture))
        if self.env is None:
            raise NotRead("it does not answer in time")
        return dict(each.split("=", 1) for each in self.env)


async def test_provision__container_is_not_made_in_time__is_the_orders_fault_if_a_good_one_is(
    stub: StubEngine, machine: DockerMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machines, "MAKE_SECONDS", 0.1)
    stub.never_makes = IMAGE
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(OrderRefused, match="did not answer in time"):
            await machine.provision(Pubkey.new_unique(), order(), within=0)
    assert stub.created[-1]["Image"] == IMPORTED


def machine_of(
    connected: Engine, settings: MachineSettings, folder: Path, registry: ImageRegistry | None = None
) -> DockerMachine:
    identity = MachineIdentity.load_or_create(folder, "m")
    return DockerMachine(connected, settings, SealKey.generate(), identity, registry=registry)


def order(**parts: object) -> OrderDocument:
    return Workload.of(**{"image": IMAGE, **parts}).for_renter(SealKey.generate().public)


@pytest.mark.parametrize("case", CASES["starts"].values(), ids=CASES["starts"].keys())
async def test_provision__engine_does_not_start_it__is_the_hosts_fault_if_a_good_image_does_not_start_either(
    stub: StubEngine, machine: DockerMachine, settings: MachineSettings, case: dict[str, Any]
) -> None:
    refusal = (case["status"], case["message"])
    stub.refuses = {IMAGE: refusal} | ({IMPORTED: refusal} if case["fault"] == "host" else {})
    with pytest.raises(FAULTS[case["fault"]]) as fault:
        await machine.provision(Pubkey.new_unique(), order(ports=(PortForward(port=80),)))
    assert type(fault.value) is FAULTS[case["fault"]] and case["message"][-25:] in fault.value.message
    own, good = stub.created
    shared = ("Devices", "DeviceRequests", "Mounts", "NetworkMode", "PortBindings", "Memory")
    assert all(good["HostConfig"].get(part) == own["HostConfig"].get(part) for part in shared)
    assert good["Image"] == IMPORTED and "Env" not in good
    assert stub.containers == {}


@pytest.mark.parametrize("case", CASES["pulls"].values(), ids=CASES["pulls"].keys())
async def test_provision__image_does_not_come__is_the_hosts_fault_from_a_registry_that_they_vouch_for(
    stub: StubEngine, machine: DockerMachine, case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host_agent.docker.engine.TRY_AGAIN", control_free_backoff())
    stub.has_image, stub.pull_fails = False, (case["status"], case["message"])
    if case["fault"] == "host" and FULL.search(case["message"]):
        # The words alone prove nothing: any registry may say them.
        monkeypatch.setattr(LowestFree, "is_full", True)
    with pytest.raises(FAULTS[case["fault"]]) as fault:
        await machine.provision(Pubkey.new_unique(), order(image=case["image"]))
    assert type(fault.value) is FAULTS[case["fault"]]


def control_free_backoff() -> Any:
    """No wait between attempts."""

    class Immediate:
        def spread(self, failures: int) -> float:
            return 0.0

    return Immediate()


@pytest.mark.parametrize("works", [True, False])
async def test_provision__layer_of_docker_hub_that_cannot_be_unpacked__is_told_by_a_control_start(
    stub: StubEngine, machine: DockerMachine, works: bool
) -> None:
    stub.has_image, stub.pull_fails = False, (500, "failed to register layer: exit status 1")
    stub.refuses = {} if works else {IMPORTED: (500, "failed to mount")}
    with pytest.raises(OrderRefused if works else MachineFault, match="exit status 1"):
        await machine.provision(Pubkey.new_unique(), order(image="a/b"))


async def test_provision__orders_that_fail_in_a_row__start_the_good_image_once_a_minute(
    stub: StubEngine, machine: DockerMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.refuses = {IMAGE: (500, "no")}

    async def refused(fault: type[Exception]) -> int:
        before = len(stub.created)
        with pytest.raises(fault):
            await machine.provision(Pubkey.new_unique(), order())
        return len(stub.created) - before - 1

    assert [await refused(OrderRefused) for _ in range(3)] == [1, 0, 0]
    monkeypatch.setattr(control, "TRUST_SECONDS", 0.0)
    assert await refused(OrderRefused) == 1
    monkeypatch.undo()
    stub.refuses[IMPORTED] = (500, "no")
    monkeypatch.setattr(control, "TRUST_SECONDS", 0.0)
    assert [await refused(MachineFault) for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("works", [True, False])
async def test_holds__tenant_has_removed_their_shell__rental_continues_while_the_machine_works(
    stub: StubEngine, machine: DockerMachine, settings: MachineSettings, works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rental = Pubkey.new_unique()
    labels = {"gpu-market.listing": str(settings.listing), "gpu-market.role": TENANT, "gpu-market.rental": str(rental)}
    name = name_of(settings.listing, TENANT)
    stub.containers[name] = {
        **{"Id": name, "Labels": labels, "Image": IMAGE, "State": "exited", "Status": "Exited (0)"},
    }
    stub.refuses = {IMAGE: (500, "exec: /bin/sh: no such file")} | ({} if works else {IMPORTED: (500, "no")})
    monkeypatch.setattr(Engine, "network", lambda *_: found(labels))
    if works:
        assert await machine.holds(rental)
        await machine._gateway.end()
    else:
        with pytest.raises(MachineFault):
            await machine.holds(rental)
    assert stub.created[0]["HostConfig"]["Memory"] == 7
    assert name_of(settings.listing, CONTROL) not in stub.containers and name in stub.containers


async def found(labels: dict[str, str]) -> dict[str, str]:
    """The labels of a network."""
    return labels


@pytest.mark.parametrize(
    ("image_env", "env", "refused"),
    [
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 brand=tesla,driver>=470,driver<471,cuda>=12.6"], {}, True),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 brand=tesla,driver>=470,driver<471"], {}, True),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 brand=tesla,driver>=535,driver<536 brand=tesla,driver>=551"], {}, True),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 brand=tesla,driver>=550,driver<551"], {}, False),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 driver>=550.54"], {}, False),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 driver<550"], {}, True),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6 brand=geforce"], {}, False),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.4"], {}, False),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6"], {"NVIDIA_DISABLE_REQUIRE": "1"}, False),
        (["NVIDIA_REQUIRE_CUDA=cuda>=12.6"], {"NVIDIA_REQUIRE_CUDA": "cuda>=11.0"}, False),
        ([], {"NVIDIA_REQUIRE_CUDA": "cuda>=99.0"}, True),
        ([], {"NVIDIA_REQUIRE_CUDA": "cuda>=12.10"}, True),
        ([], {"NVIDIA_REQUIRE_CUDA": "cuda<12"}, True),
        ([], {"NVIDIA_REQUIRE_CUDA": "cuda>=12.4.1"}, False),
        ([], {"NVIDIA_REQUIRE_CUDA": ""}, False),
        ([], {"NVIDIA_REQUIRE_OWN": "cuda>12.4"}, True),
        ([], {"NVIDIA_DRIVER_CAPABILITIES": "compute,bogus"}, True),
        (["NVIDIA_DRIVER_CAPABILITIES=compute, utility"], {}, False),
    ],
)
async def test_order__demands_another_driver__is_refused_before_it_is_accepted_or_started(
    stub: StubEngine,
    connected: Engine,
    settings: MachineSettings,
    tmp_path: Path,
    image_env: list[str],
    env: dict[str, str],
    refused: bool,
) -> None:
    shown = ShownImages(image_env)
    machine = machine_of(connected, replace(settings, gpus=("all",), cuda=1204), tmp_path, shown)
    stub.image_env, wanted = image_env, order(env=env)
    stub.refuses = {IMAGE: (500, "it was tried"), IMPORTED: (500, "it was tried")}
    if refused and not image_env:
        with pytest.raises(OrderRefused, match="NVIDIA_"):
            machine.connection(Pubkey.new_unique(), wanted)
    if refused:
        with pytest.raises(OrderRefused, match="NVIDIA_"):
            await machine.examine(wanted)
    with pytest.raises(OrderRefused if refused else MachineFault, match="NVIDIA_" if refused else "it was tried"):
        await machine.provision(Pubkey.new_unique(), wanted)
    without_gpus = machine_of(connected, replace(settings, cuda=1204), tmp_path, shown)
    without_gpus.connection(Pubkey.new_unique(), wanted)
    await without_gpus.examine(wanted)
    stub.has_image = False
    await without_gpus.examine(wanted)
    assert shown.asked == []
    with pytest.raises(OrderRefused, match="NVIDIA_") if refused else nullcontext():
        await machine.examine(wanted)
    assert shown.asked == [(IMAGE, "amd64")]
    shown.env = None
    await machine.examine(wanted)


async def test_machine__fault_of_a_gpu__refuses_orders_before_it_accepts_them(
    connected: Engine, settings: MachineSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = HealthWatch(settings.listing, settings.gpus)
    identity = MachineIdentity.load_or_create(tmp_path, "m")
    machine = DockerMachine(connected, settings, SealKey.generate(), identity, health=watch)
    wanted, rental = order(), Pubkey.new_unique()
    tenancy = Tenancy(settings.listing, machine, cast(Any, None), cast(Any, None), DEFAULT_PACE)
    assert tenancy.is_healthy and machine.connection(rental, wanted)
    watch._faults = ["GPU 0000:01:00.0: Xid 79"]
    assert not tenancy.is_healthy
    with pytest.raises(OrderUnwanted, match="This machine has a fault"):
        machine.connection(rental, wanted)
    monkeypatch.setattr(machine, "_tenant", rental)
    assert tenancy.is_healthy, "its tenant still has it"


async def test_pull__registry_never_answers__ends_within_the_time_for_an_answer(
    stub: StubEngine, machine: DockerMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("host_agent.docker.engine.ANSWER_SECONDS", 0.0)
    stub.has_image = False
    for image, fault in (("own.example/a", OrderRefused), ("a/b", MachineFault)):
        with pytest.raises(fault, match="does not answer in time"):
            await machine.provision(Pubkey.new_unique(), order(image=image))


def test_image_rules__vouched_for__is_docker_hub_and_what_is_named() -> None:
    rules = ImageRules(registries=("own.example:5000",))
    found = [
        image for image in ("a/b", "own.example:5000/a", "own.example/a", "ghcr.io/a/b") if rules.vouches_for(image)
    ]
    assert found == ["a/b", "own.example:5000/a"]


@pytest.mark.parametrize(("unproven", "fault"), [(True, Unproven), (False, MachineFault)])
def test_engine_errors__engine_is_silent__is_for_a_control_start_to_tell_if_the_order_can_cause_it(
    unproven: bool, fault: type[Exception]
) -> None:
    with pytest.raises(fault, match="did not answer in time") as found, engine_errors(unproven=unproven):
        raise TimeoutError
    assert type(found.value) is fault
