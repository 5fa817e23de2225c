"""A machine's processor, memory, disk and network from made-up files of the kernel's, and measuring it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from host_agent.detect.benchmark import download_mbps, measure
from host_agent.detect.machine import read_hardware
from tests.processes.downloads import megabyte
from tests.processes.ports import free_ports

ROUTES = "Iface\tDestination\tGateway\nwan0\t00000000\t0100A8C0\nlan0\t0000A8C0\t00000000\n"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    for name in ("net", "class/net/wan0"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "meminfo").write_text("MemTotal:       263912345 kB\nMemFree: 1 kB\n")
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: AMD EPYC 7402P 24-Core Processor\n")
    (tmp_path / "net/route").write_text(ROUTES)
    return tmp_path


def add_disk(sys: Path, of: Path, name: str, rotational: str) -> None:
    """Makes a part of a disk what `of` is on."""
    device = of.stat().st_dev
    part = sys / f"devices/{name}/{name}p1"
    part.mkdir(parents=True)
    (part.parent / "queue").mkdir()
    (part.parent / "queue/rotational").write_text(rotational)
    (sys / "dev/block").mkdir(parents=True)
    (sys / f"dev/block/{os.major(device)}:{os.minor(device)}").symlink_to(part)


@pytest.mark.parametrize(
    ("name", "rotational", "kind"), [("nvme0n1", "0\n", "nvme"), ("sda", "0\n", "ssd"), ("sdb", "1\n", "hdd")]
)
def test_read_hardware__files_of_the_kernel__say_what_there_is(
    kernel: Path, name: str, rotational: str, kind: str
) -> None:
    (kernel / "class/net/wan0/speed").write_text("10000\n")
    add_disk(kernel, kernel, name, rotational)
    found = read_hardware(kernel, kernel, kernel)
    assert (found.cpu, found.ram_gib, found.link_mbps) == ("AMD EPYC 7402P 24-Core Processor", 251, 10_000)
    assert found.cpu_cores == os.cpu_count() and found.disk.kind == kind
    assert 0 < found.disk.free_gb <= found.disk.size_gb


@pytest.mark.parametrize("speed", ["-1\n", None])
def test_read_hardware__virtual_machine__does_not_know_disk_and_link(kernel: Path, speed: str | None) -> None:
    if speed is not None:
        (kernel / "class/net/wan0/speed").write_text(speed)
    found = read_hardware(kernel, kernel, kernel)
    assert (found.link_mbps, found.disk.kind) == (None, None)


def test_measure__everything__is_a_rate_and_leaves_nothing(tmp_path: Path) -> None:
    figures = measure(tmp_path, seconds=0.05)
    assert figures.memory_copy > 0 and figures.hashing > 0
    assert figures.disk_write is None or figures.disk_write > 0
    assert list(tmp_path.iterdir()) == []


def test_download_mbps__url_answers__is_a_rate() -> None:
    with megabyte() as url:
        assert download_mbps(url) > 0


def test_download_mbps__nobody_answers__is_the_systems_error() -> None:
    with pytest.raises(OSError, match="refused"):
        download_mbps(f"http://127.0.0.1:{free_ports()}/")
