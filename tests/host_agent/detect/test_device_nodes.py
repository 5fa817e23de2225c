"""Device nodes of NVIDIA's driver that containers are given by name."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from host_agent.detect.device_nodes import device_nodes, unlinked

TOLD = """Model: \t\t NVIDIA H100 80GB HBM3
IRQ:   \t\t 186
GPU UUID: \t GPU-{letter}1b2c3d4-0000-0000-0000-000000000000
Video BIOS: \t 96.00.99.00.01
Bus Location: \t {bus}
Device Minor: \t {minor}
GPU Excluded:\t No
"""
BUSES = (("0000:01:00.0", "a", 1), ("0000:41:00.0", "b", 0))
"""The driver numbers its nodes in its own order, which need not be that of the bus."""


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    for bus, letter, minor in BUSES:
        folder = tmp_path / "driver" / bus
        folder.mkdir(parents=True)
        (folder / "information").write_text(TOLD.format(bus=bus, letter=letter, minor=minor))
    return tmp_path / "driver"


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    made = tmp_path / "dev"
    made.mkdir()
    for name in ("nvidia0", "nvidia1", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"):
        (made / name).touch()
    return made


@pytest.mark.parametrize(
    ("gpus", "own"),
    [
        (("all",), ["nvidia1", "nvidia0"]),
        (("0",), ["nvidia1"]),
        (("1",), ["nvidia0"]),
        (("GPU-b1b2c3d4",), ["nvidia0"]),
    ],
)
def test_device_nodes__gpus_of_a_listing__are_theirs_and_those_that_all_share(
    dev: Path, driver: Path, gpus: tuple[str, ...], own: list[str]
) -> None:
    shared = ["nvidiactl", "nvidia-uvm", "nvidia-uvm-tools"]
    assert device_nodes(gpus, dev, driver) == [str(dev / name) for name in (*own, *shared)]


@pytest.mark.parametrize("gpus", [(), ("7",), ("GPU-c",)])
def test_device_nodes__none_of_the_machines_gpus__are_none(dev: Path, driver: Path, gpus: tuple[str, ...]) -> None:
    assert device_nodes(gpus, dev, driver) == []


def test_device_nodes__machine_without_the_driver__are_none(dev: Path, tmp_path: Path) -> None:
    assert device_nodes(("all",), dev, tmp_path / "nowhere") == []


def test_unlinked__link_by_number__is_no_loss(tmp_path: Path) -> None:
    (tmp_path / "char").mkdir()
    assert unlinked(["/dev/null"], tmp_path) == ["/dev/null"]
    found = os.stat("/dev/null")
    assert stat.S_ISCHR(found.st_mode)
    (tmp_path / "char" / f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}").symlink_to("/dev/null")
    assert unlinked(["/dev/null"], tmp_path) == []
