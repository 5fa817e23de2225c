"""Orders in the words of the engine's API."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.connection import MAX_ABUSE_CONTACT, Connection
from anchor_client.generated.constants import MAX_KEEP_DAYS
from anchor_client.orders import PortForward, Workload
from anchor_client.sealing import SealKey
from host_agent.docker.container import (
    BACKGROUND,
    ROLE,
    TENANT,
    background_container,
    https_ports,
    name_of,
    ports_of,
    tenant_container,
)
from host_agent.errors import HostConfigurationError
from host_agent.settings.machine import MOST_TOLD_BYTES, MachineSettings

MACHINE = MachineSettings(listing=Pubkey.new_unique(), address="gpu.test", first_port=20_000)
KEY = SealKey.generate()


def container(machine: MachineSettings = MACHINE, **parts: Any) -> dict[str, Any]:
    return tenant_container(machine, Pubkey.new_unique(), Workload.of(**parts).for_renter(KEY.public))


@pytest.mark.parametrize(
    ("gpus", "requests"),
    [
        (("all",), [{"Count": -1, "Capabilities": [["gpu"]]}]),
        (("0", "3"), [{"DeviceIDs": ["0", "3"], "Capabilities": [["gpu"]]}]),
        ((), []),
    ],
)
def test_container__gpus_of_the_listing__are_all_it_gets(gpus: tuple[str, ...], requests: list[Any]) -> None:
    machine = replace(MACHINE, gpus=gpus)
    assert container(machine)["HostConfig"]["DeviceRequests"] == requests
    assert background_container(machine, Workload())["HostConfig"]["DeviceRequests"] == requests


def test_container__of_anybody__gains_no_privileges() -> None:
    for made in (container(), background_container(MACHINE, Workload())):
        assert made["HostConfig"]["SecurityOpt"] == ["no-new-privileges"]


def test_container__order_without_a_command__runs_what_its_image_does() -> None:
    assert not {"Entrypoint", "Cmd"} & container().keys()


def test_container__jupyter_token__is_in_its_environment_and_the_port_for_the_agent() -> None:
    made = container(jupyter_token="t")
    assert "JUPYTER_TOKEN=t" in made["Env"]
    assert https_ports(made["Labels"]) == {8888: 20_001}
    own = container(jupyter_token="t", env={"JUPYTER_TOKEN": "own"})["Env"]
    assert [each for each in own if "JUPYTER" in each] == ["JUPYTER_TOKEN=own"]


def test_container__asks_nvidias_runtime_for_more_devices__gets_none() -> None:
    asked = {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_MOFED": "enabled"}
    with_gpus, without = (container(replace(MACHINE, gpus=gpus), env=asked)["Env"] for gpus in (("0",), ()))
    assert "NVIDIA_VISIBLE_DEVICES=void" in without and "NVIDIA_VISIBLE_DEVICES=all" not in without
    assert "NVIDIA_VISIBLE_DEVICES=void" not in with_gpus, "the engine names the listing's"
    for made in (with_gpus, without):
        assert {f"NVIDIA_{name}=disabled" for name in ("MOFED", "GDS", "GDRCOPY", "NVSWITCH")} < set(made)


def test_ports__jupyters_named_as_well__is_forwarded_once_and_as_it_says() -> None:
    order = Workload.of(ports=(PortForward(port=8888),), jupyter_token="t")
    assert (ports_of(MACHINE, order, "tcp"), ports_of(MACHINE, order, "http")) == ({8888: 20_001}, {})


def test_container__ports_of_both_protocols__engine_publishes_tcp_alone() -> None:
    ports = tuple(PortForward.parse(each) for each in ("80/http", "22/tcp", "8080/http"))
    made = container(ports=ports)
    assert made["ExposedPorts"] == {"22/tcp": {}}
    assert made["HostConfig"]["PortBindings"] == {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": "20002"}]}
    assert https_ports(made["Labels"]) == {80: 20_001, 8080: 20_003}
    assert https_ports(container()["Labels"]) == https_ports({}) == {}


def test_background__another_command_or_limit__is_another_configuration() -> None:
    first, second = (background_container(MACHINE, Workload(command=command)) for command in ("a", "b"))
    third = background_container(replace(MACHINE, gpus=()), Workload(command="a"))
    assert len({str(made["Labels"]) for made in (first, second, third)}) == 3
    assert first == background_container(MACHINE, Workload(command="a"))
    assert first["Labels"][ROLE] == BACKGROUND != TENANT
    assert name_of(MACHINE.listing, BACKGROUND) != name_of(MACHINE.listing, TENANT)


@pytest.mark.parametrize("contact", ["a" * MAX_ABUSE_CONTACT, "\u00fc" * MAX_ABUSE_CONTACT, '"' * MAX_ABUSE_CONTACT])
def test_connection__longest_there_is__fits_its_event(contact: str) -> None:
    of_contact = len(json.dumps(contact, ensure_ascii=False).encode()) - 2
    machine = replace(MACHINE, address="h" * (MOST_TOLD_BYTES - of_contact), abuse_contact=contact)
    with pytest.raises(HostConfigurationError, match="together"):
        replace(machine, address=f"{machine.address}h")
    connection = Connection(
        host=machine.address,
        port=65_535,
        password="p" * 24,
        host_key="ssh-ed25519 " + "A" * 68,
        ports={65_530: 65_500},
        https={65_530 + port: 65_500 + port for port in range(1, 6)},
        certificate="A" * 43,
        terminal=65_535,
        abuse_contact=contact,
        keep_days=MAX_KEEP_DAYS,
    )
    assert Connection.opened(connection.sealed(KEY.public), KEY) == connection
