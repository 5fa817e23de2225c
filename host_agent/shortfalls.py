"""Properties in which a machine falls short of its listings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import gpu_of
from anchor_client.rules.listing import CUDA_MAJOR
from host_agent.detect.gpus import Gpus
from host_agent.images import GB
from host_agent.settings import MachineCapacity

SLACK_PERCENT = 90
"""Required share of listed GB: kernels and file systems take some."""


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """A machine as its agent knows it; None where unknown."""

    capacity: MachineCapacity
    disk_gb: int | None
    gpus: Gpus | None
    """None if the agent gives orders no GPUs of the driver's."""
    gpu_fault: str | None = None
    """Why the GPUs cannot be used."""


def shortfalls(machine: KnownMachine, listings: Sequence[Listing]) -> Iterator[str]:
    """Each property that the listings together overstate."""
    yield from _hardware(machine, listings)
    if machine.gpu_fault is not None:
        yield machine.gpu_fault
    elif machine.gpus is not None:
        yield from _gpus(machine.gpus, listings)


def _hardware(machine: KnownMachine, listings: Sequence[Listing]) -> Iterator[str]:
    cores, capacity = sum(each.cpu_cores for each in listings), machine.capacity
    if cores > capacity.cpus:
        yield f"{cores} CPU cores are listed, and there are {capacity.cpus}"
    memory = capacity.memory_bytes // GB
    for what, listed, found in (
        ("RAM", sum(each.ram_gb for each in listings), memory),
        ("disk", sum(each.disk_gb for each in listings), machine.disk_gb),
    ):
        if found is not None and found * 100 < listed * SLACK_PERCENT:
            yield f"{listed} GB of {what} are listed, and there are {found}"


def _gpus(gpus: Gpus, listings: Sequence[Listing]) -> Iterator[str]:
    left_out = "".join(f"; {each}" for each in gpus.left_out)
    for number in sorted({each.gpu_model for each in listings}):
        listed = [each for each in listings if each.gpu_model == number]
        found = [gpu for gpu in gpus.all if gpu.model.id == number]
        count, name = sum(each.gpu_count for each in listed), gpu_of(number).name
        if len(found) < count:
            yield f"{count} x {name} are listed, and there are {len(found)}{left_out}"
        vram = max(each.vram_gb for each in listed)
        least = min((gpu.vram_gb for gpu in found if gpu.vram_gb), default=vram)
        if least * 100 < vram * SLACK_PERCENT:
            yield f"{vram} GB of VRAM are listed, and a {name} has {least}"
    most = max((each.cuda for each in listings), default=0)
    major, _, minor = (gpus.cuda or "").partition(".")
    if gpus.cuda is not None and int(major) * CUDA_MAJOR + int(minor) < most:
        yield f"CUDA {most // CUDA_MAJOR}.{most % CUDA_MAJOR} is listed, and the driver supports {gpus.cuda}"
