"""Hardware of a machine, without its GPUs."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from host_agent.detect.pci_bus import SYS

PROC: Final = Path("/proc")
KIB_PER_GIB: Final = 2**20
GB: Final = 10**9
DEFAULT_ROUTE: Final = "00000000"


@dataclass(frozen=True, slots=True)
class Disk:
    """The containers' file system."""

    path: Path
    size_gb: int
    free_gb: int
    kind: str | None
    """nvme, ssd or hdd; None if the kernel does not report it."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine without its GPUs."""

    cpu: str | None
    cpu_cores: int
    ram_gib: int
    disk: Disk
    link_mbps: int | None
    """Speed of the network interface towards the internet; the line's speed is unknown."""


def read_hardware(path: Path, sys: Path = SYS, proc: Path = PROC) -> Hardware:
    """The machine's hardware; `path` is the containers' directory. Raises OSError if it is missing."""
    return Hardware(
        cpu=_cpu_name(proc),
        cpu_cores=os.cpu_count() or 1,
        ram_gib=_ram_gib(proc),
        disk=_disk(path, sys),
        link_mbps=_link_mbps(sys, proc),
    )


def _cpu_name(proc: Path) -> str | None:
    for line in (proc / "cpuinfo").read_text().splitlines():
        word, _, value = line.partition(":")
        if word.strip() == "model name":
            return value.strip()
    return None


def _ram_gib(proc: Path) -> int:
    lines = dict(line.split(":", 1) for line in (proc / "meminfo").read_text().splitlines() if ":" in line)
    return max(int(lines["MemTotal"].split()[0]) // KIB_PER_GIB, 1)


def _disk(path: Path, sys: Path) -> Disk:
    usage = shutil.disk_usage(path)
    device = path.stat().st_dev
    block = (sys / f"dev/block/{os.major(device)}:{os.minor(device)}").resolve()
    return Disk(path, usage.total // GB, usage.free // GB, _kind(block))


def _kind(block: Path) -> str | None:
    """The kind of a disk or partition."""
    for folder in (block, block.parent):
        rotational = folder / "queue/rotational"
        if rotational.exists():
            if rotational.read_text().strip() == "1":
                return "hdd"
            if "nvme" in folder.name:
                return "nvme"
            return "ssd"
    return None


def _link_mbps(sys: Path, proc: Path) -> int | None:
    for line in (proc / "net/route").read_text().splitlines()[1:]:
        interface, destination, *_ = line.split()
        if destination == DEFAULT_ROUTE:
            try:
                speed = int((sys / f"class/net/{interface}/speed").read_text())
            except (OSError, ValueError):  # virtual interfaces and those that are down have none
                return None
            return speed if speed > 0 else None
    return None
