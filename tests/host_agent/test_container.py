"""Orders in the words of the engine's API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.orders import PortForward, Workload
from anchor_client.sealing import MAX_ABUSE_CONTACT, MAX_KEEP_DAYS, Connection, SealKey
from host_agent.docker.container import (
    BACKGROUND,
    ROLE,
    TENANT,
    background_container,
    name_of,
    ports_of,
    tenant_container,
)
from host_agent.settings import MachineSettings

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


def test_container__jupyter_token__is_in_its_environment_and_the_port_open() -> None:
    made = container(jupyter_token="t")
    assert made["Env"] == ["JUPYTER_TOKEN=t"]
    assert made["ExposedPorts"] == {"8888/tcp": {}}
    assert container(jupyter_token="t", env={"JUPYTER_TOKEN": "own"})["Env"] == ["JUPYTER_TOKEN=own"]


def test_ports__jupyters_named_as_well__is_forwarded_once() -> None:
    assert ports_of(Workload.of(ports=(PortForward(port=8888),), jupyter_token="t")) == [8888]


def test_background__another_command_or_limit__is_another_configuration() -> None:
    first, second = (background_container(MACHINE, Workload(command=command)) for command in ("a", "b"))
    third = background_container(replace(MACHINE, gpus=()), Workload(command="a"))
    assert len({str(made["Labels"]) for made in (first, second, third)}) == 3
    assert first == background_container(MACHINE, Workload(command="a"))
    assert first["Labels"][ROLE] == BACKGROUND != TENANT
    assert name_of(MACHINE.listing, BACKGROUND) != name_of(MACHINE.listing, TENANT)


def test_connection__longest_there_is__fits_its_event() -> None:
    connection = Connection(
        host="h" * 253,
        port=65_535,
        password="p" * 24,
        host_key="ssh-ed25519 " + "A" * 68,
        ports={65_530 + port: 65_500 + port for port in range(6)},
        abuse_contact="a" * MAX_ABUSE_CONTACT,
        keep_days=MAX_KEEP_DAYS,
    )
    assert Connection.opened(connection.sealed(KEY.public), KEY) == connection
