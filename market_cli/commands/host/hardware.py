"""Hardware of a listing: what the host states, and otherwise what is found on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from anchor_client.rules.gpu_model import GpuModel
from host_agent.detect.benchmark import disk_write
from host_agent.detect.gpus import Gpus, find_gpus
from host_agent.detect.machine import Hardware, read_hardware
from host_agent.errors import MachineFault
from market_cli.commands.host.measuring import where_containers_are
from market_cli.session import CliSession

LEAST: Final[Mapping[str, Any]] = {
    "gpus": 1,
    "disk": "hdd",
    "disk_mbps": 1,
    "up_mbps": 1,
    "down_mbps": 1,
    "cuda": "0.0",
}
"""Value of a property that is neither stated nor found: the least that there is."""
DETECTED: Final = "detected"
STATED: Final = "stated"
UNKNOWN: Final = "unknown"


async def complete(
    session: CliSession, model: GpuModel, stated: Mapping[str, Any], disk_path: Path | None, engine: str | None
) -> tuple[dict[str, Any], dict[str, str]]:
    """All properties, and the origin of each. Nothing is looked for if everything is stated."""
    missing = {name for name, value in stated.items() if value is None}
    found = await _found(session, model, missing, disk_path, engine) if missing else {}
    values = {name: found.get(name, LEAST.get(name)) if name in missing else value for name, value in stated.items()}
    origins = {
        name: STATED if name not in missing else UNKNOWN if found.get(name) is None else DETECTED for name in stated
    }
    return values, origins


async def _found(
    session: CliSession, model: GpuModel, missing: set[str], disk_path: Path | None, engine: str | None
) -> dict[str, Any]:
    """Values of the missing properties on this machine."""
    try:
        gpus = await find_gpus()
    except MachineFault as error:
        session.out.note(f"{error.message}: its GPUs are unknown.")
        gpus = Gpus((), None)
    where = disk_path or await where_containers_are(session, engine)
    hardware = await asyncio.to_thread(read_hardware, where)
    written = await asyncio.to_thread(disk_write, where) if "disk_mbps" in missing else None
    known = _properties(model, gpus, hardware, written)
    return {name: value for name, value in known.items() if name in missing and value is not None}


def _properties(model: GpuModel, gpus: Gpus, hardware: Hardware, written: int | None) -> dict[str, Any]:
    """The machine's properties, and the share that the GPUs of a model have of what can be divided. The speed of the
    network interface says nothing of the line's.
    """
    own = [gpu for gpu in gpus.all if gpu.model.id == model.id]
    share = gpus.share_of(own) if own else Fraction(1)
    return {
        "gpus": len(own) or None,
        "vram_gb": min((gpu.vram_gb for gpu in own), default=0) or None,
        "cpu_cores": max(int(hardware.cpu_cores * share), 1),
        "ram_gb": max(int(hardware.ram_gib * share), 1),
        "disk": hardware.disk.kind,
        "disk_gb": max(int(hardware.disk.free_gb * share), 1),
        "disk_mbps": written,
        "cuda": gpus.cuda,
    }
