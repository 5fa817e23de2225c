"""Device nodes of NVIDIA's driver, named to the engine one by one.

The container toolkit gives a container its GPUs behind the engine's back. Where systemd manages the container's control
group, its next `daemon-reload` restores the devices that the engine knows of, and takes the GPUs away: programs then
report "Failed to initialize NVML: Unknown Error". Devices that the engine itself passes are restored too, if /dev/char
has a link to each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from host_agent.settings.machine import ALL_GPUS

DEV: Final = Path("/dev")
DRIVER: Final = Path("/proc/driver/nvidia/gpus")
COMMON: Final = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")
"""Nodes that each container with a GPU gets."""
FIELD: Final = re.compile(r"^(GPU UUID|Device Minor):\s*(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NvidiaNode:
    """A GPU's node; its index is its place on the bus, as nvidia-smi counts."""

    index: str
    uuid: str
    path: str


def device_nodes(gpus: Sequence[str], dev: Path = DEV, driver: Path = DRIVER) -> list[str]:
    """Paths of the nodes of these GPUs, and of those that all share; none on a machine without the driver."""
    chosen = [node.path for node in _nodes(dev, driver) if _is_among(node, gpus)]
    common = [str(dev / name) for name in COMMON]
    return [path for path in (*chosen, *common) if os.path.exists(path)] if chosen else []


def unlinked(paths: Sequence[str], dev: Path = DEV) -> list[str]:
    """The device nodes that /dev/char has no link to."""
    return [path for path in paths if not (dev / "char" / _number(path)).exists()]


def _nodes(dev: Path, driver: Path) -> Iterator[NvidiaNode]:
    for index, folder in enumerate(sorted(driver.glob("*"))):
        told = dict(FIELD.findall((folder / "information").read_text("utf-8", "replace")))
        if "Device Minor" in told:
            yield NvidiaNode(str(index), told.get("GPU UUID", ""), str(dev / f"nvidia{told['Device Minor']}"))


def _is_among(node: NvidiaNode, gpus: Sequence[str]) -> bool:
    """True for a GPU that is named by its index or by its UUID, which may be shortened."""
    return tuple(gpus) == ALL_GPUS or any(
        name == node.index or (not name.isdigit() and node.uuid.startswith(name)) for name in gpus
    )


def _number(path: str) -> str:
    device = os.stat(path).st_rdev
    return f"{os.major(device)}:{os.minor(device)}"
