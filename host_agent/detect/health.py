"""Health of NVIDIA's GPUs, as their driver and the kernel's log report it, and of the toolkit that passes them on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from host_agent.commands import run
from host_agent.detect.container_toolkit import toolkit_fault, toolkit_version
from host_agent.detect.kernel_log import KMSG, Xid, severe_xids
from host_agent.detect.nvidia_smi import BUS, FAULTY, SECONDS, short_bus, whole_number
from host_agent.settings.machine import ALL_GPUS

Identity: TypeAlias = tuple[str, str, str]
"""A GPU's index, UUID and address on the bus."""
IDENTITY: Final = ("index", "uuid", "pci.bus_id")
GROUPS: Final = (
    ("temperature.gpu", "pcie.link.width.current", "pcie.link.width.max"),
    ("ecc.errors.uncorrected.volatile.total",),
    ("remapped_rows.pending", "remapped_rows.failure"),
    ("retired_pages.pending",),
    ("clocks_throttle_reasons.hw_thermal_slowdown", "clocks_throttle_reasons.hw_power_brake_slowdown"),
)
"""Fields that are asked for together: a driver that does not know one refuses the whole question."""
HOT_CELSIUS: Final = 90
YES: Final = ("yes", "active", "1")


@dataclass(frozen=True, slots=True)
class GpuHealth:
    """A GPU's condition; `told` has the fields that its driver knows."""

    index: str
    uuid: str
    bus: str
    told: Mapping[str, str]
    xids: Sequence[Xid] = ()

    @property
    def faults(self) -> list[str]:
        """Reasons for which it should not be rented, each with a remedy."""
        return list(_faults(self))

    def number(self, name: str) -> int | None:
        """A field as a number."""
        return whole_number(self.told.get(name, ""))

    def holds(self, name: str) -> bool:
        """True if a field says yes."""
        return self.told.get(name, "").lower() in YES


@dataclass(frozen=True, slots=True)
class MachineHealth:
    """The GPUs of a machine, as far as its driver answers for them."""

    gpus: Sequence[GpuHealth] = field(default_factory=list)
    reads_log: bool = True
    """False if the kernel's log cannot be read, so that Xid errors are unknown."""
    toolkit_fault: str | None = None
    """The reason for which containers must not get them."""

    @property
    def faults(self) -> list[str]:
        """Faults of all GPUs, each with the GPU's address, and of what gives them to containers."""
        faults = [f"GPU {gpu.bus}: {fault}" for gpu in self.gpus for fault in gpu.faults]
        return faults if self.toolkit_fault is None else [*faults, self.toolkit_fault]


async def gpu_health(gpus: Sequence[str], kmsg: Path = KMSG) -> MachineHealth:
    """Health of the GPUs that are named as `--gpus` names them; none without NVIDIA's driver."""
    rows: dict[Identity, dict[str, str]] = {}
    for group in GROUPS:
        if group is not GROUPS[0] and not rows:
            break  # the driver does not answer at all: each further question would wait for it again
        for identity, values in await ask_gpus(group, gpus):
            rows.setdefault(identity, {}).update(zip(group, values, strict=True))
    xids = await asyncio.to_thread(severe_xids, kmsg)
    found = [GpuHealth(*row, told, _of_slot(xids or (), row[2])) for row, told in rows.items()]
    unsafe = toolkit_fault(await toolkit_version()) if found else None
    return MachineHealth(found, reads_log=xids is not None, toolkit_fault=unsafe)


def _of_slot(xids: Sequence[Xid], bus: str) -> list[Xid]:
    return [xid for xid in xids if xid.slot == bus.rpartition(".")[0]]


async def ask_gpus(names: Sequence[str], gpus: Sequence[str]) -> list[tuple[Identity, list[str]]]:
    """The driver's answer for each of these GPUs; none if it does not know a field, or does not answer at all."""
    question = ("nvidia-smi", f"--query-gpu={','.join((*IDENTITY, *names))}", "--format=csv,noheader,nounits")
    try:
        async with asyncio.timeout(SECONDS):
            _, said = await run(*question)
    except (OSError, TimeoutError):
        return []
    found = []
    for line in said.splitlines():
        index, *rest = (part.strip() for part in line.split(","))
        if len(rest) == len(IDENTITY) - 1 + len(names) and (place := BUS.fullmatch(rest[1])) is not None:
            found.append(((index, rest[0], short_bus(place)), rest[2:]))
    return [(row, told) for row, told in found if _is_among(row, gpus)]


def _is_among(row: Identity, gpus: Sequence[str]) -> bool:
    index, uuid, _ = row
    return tuple(gpus) == ALL_GPUS or any(
        name == index or (not name.isdigit() and uuid.startswith(name)) for name in gpus
    )


def _faults(gpu: GpuHealth) -> Iterator[str]:
    yield from (f"{xid}; reset it, and replace it if that comes back" for xid in gpu.xids)
    yield from (f"its driver reports {told!r} for {name}" for name, told in gpu.told.items() if FAULTY.search(told))
    errors = gpu.number("ecc.errors.uncorrected.volatile.total")
    if errors:
        yield f"{errors} uncorrectable memory errors since its last reset; reset it: `nvidia-smi -r -i {gpu.index}`"
    if gpu.holds("remapped_rows.failure"):
        yield "faulty memory rows that cannot be remapped; replace it"
    elif gpu.holds("remapped_rows.pending") or gpu.holds("retired_pages.pending"):
        yield f"faulty memory waits for a reset to be retired: `nvidia-smi -r -i {gpu.index}`"
    width, most = gpu.number("pcie.link.width.current"), gpu.number("pcie.link.width.max")
    if width and most and width < most:
        yield f"its PCIe link has {width} of {most} lanes; reseat it, or check its riser"
    degrees = gpu.number("temperature.gpu")
    if degrees is not None and degrees >= HOT_CELSIUS:
        yield f"it has {degrees} °C; check its cooling"
    if gpu.holds("clocks_throttle_reasons.hw_thermal_slowdown"):
        yield "its clocks are lowered against heat; check its cooling"
    if gpu.holds("clocks_throttle_reasons.hw_power_brake_slowdown"):
        yield "its clocks are lowered by the power supply; check its power cables"
