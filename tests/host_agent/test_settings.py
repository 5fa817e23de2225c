"""Settings of a machine."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import BadAddress, InvalidOrder
from host_agent.errors import HostConfigurationError
from host_agent.settings.machine import ALL_GPUS, PORTS_PER_MACHINE, MachineSettings, Share, parse_gpus

LISTING = Pubkey.new_unique()


@pytest.mark.parametrize(
    ("text", "gpus"),
    [("all", ALL_GPUS), ("none", ()), ("0", ("0",)), ("0, 3", ("0", "3")), ("GPU-1f,2", ("GPU-1f", "2"))],
)
def test_parse_gpus__as_people_write_them__names(text: str, gpus: tuple[str, ...]) -> None:
    assert parse_gpus(text) == gpus


@pytest.mark.parametrize("text", ["", "0,", "all,0", "0,none"])
def test_parse_gpus__not_a_choice__refused(text: str) -> None:
    with pytest.raises(HostConfigurationError):
        parse_gpus(text)


def test_share__with_and_without_gpus__has_its_own_or_the_machines() -> None:
    assert Share.parse(f"{LISTING}=0,1", ALL_GPUS) == Share(LISTING, ("0", "1"))
    assert Share.parse(str(LISTING), ALL_GPUS) == Share(LISTING, ALL_GPUS)
    with pytest.raises(BadAddress):
        Share.parse("nothing=0", ALL_GPUS)


@pytest.mark.parametrize("first", [1, 65_536 - PORTS_PER_MACHINE])
def test_machine__its_ports_just_fit__are_its_own(first: int) -> None:
    machine = MachineSettings(listing=LISTING, address="gpu.test", first_port=first)
    ports = machine.published(range(2, PORTS_PER_MACHINE))
    assert {machine.ssh_port, *ports.values(), machine.terminal_port} == set(range(first, first + PORTS_PER_MACHINE))
    with pytest.raises(InvalidOrder):
        machine.published(range(1, PORTS_PER_MACHINE))


@pytest.mark.parametrize("first", [0, 65_537 - PORTS_PER_MACHINE])
def test_machine__ports_that_do_not_exist__refused(first: int) -> None:
    with pytest.raises(HostConfigurationError, match="ports"):
        MachineSettings(listing=LISTING, address="gpu.test", first_port=first)


def test_machine__name_to_listen_at__refused() -> None:
    with pytest.raises(HostConfigurationError, match="IP address"):
        MachineSettings(listing=LISTING, address="gpu.test", first_port=20_000, bind="gpu.test")


@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (50, True), (51, False)])
def test_abuse_contact__any_length__must_fit_the_connection(length: int, fits: bool) -> None:
    def settings() -> MachineSettings:
        return MachineSettings(listing=LISTING, address="gpu.test", abuse_contact="a" * length)

    if fits:
        assert settings().abuse_contact == "a" * length
        return
    with pytest.raises(HostConfigurationError, match="1 to 50"):
        settings()
