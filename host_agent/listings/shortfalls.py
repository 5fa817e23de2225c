"""Properties in which a machine falls short of its listings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import gpu_of
from anchor_client.rules.listing import CUDA_MAJOR
from host_agent.detect.gpus import Gpus
from host_agent.images.rules import GB
from host_agent.listings.overlap import SharedMachine
from host_agent.settings.machine import MachineCapacity

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


def shortfalls(machine: KnownMachine, listings: Mapping[Pubkey, Listing], shared: SharedMachine) -> Iterator[str]:
    """Each property that the listings overstate, as many as can be rented at the same time."""

    def most(of: Callable[[Listing], int]) -> int:
        return shared.most({address: of(listing) for address, listing in listings.items()})

    yield from _hardware(machine, most)
    if machine.gpu_fault is not None:
        yield machine.gpu_fault
    elif machine.gpus is not None:
        yield from _gpus(machine.gpus, listings, most)


def _hardware(machine: KnownMachine, most: Callable[[Callable[[Listing], int]], int]) -> Iterator[str]:
    cores, capacity = most(lambda each: each.cpu_cores), machine.capacity
    if cores > capacity.cpus:
        yield f"{cores} CPU cores are listed, and there are {capacity.cpus}"
    memory = capacity.memory_bytes // GB
    for what, listed, found in (
        ("RAM", most(lambda each: each.ram_gb), memory),
        ("disk", most(lambda each: each.disk_gb), machine.disk_gb),
    ):
        if found is not None and found * 100 < listed * SLACK_PERCENT:
            yield f"{listed} GB of {what} are listed, and there are {found}"


def _gpus(
    gpus: Gpus, listings: Mapping[Pubkey, Listing], most: Callable[[Callable[[Listing], int]], int]
) -> Iterator[str]:
    for number in sorted({each.gpu_model for each in listings.values()}):
        found = [gpu for gpu in gpus.all if gpu.model.id == number]
        count, name = most(partial(_count, number, 0)), gpu_of(number).name
        if len(found) < count:
            left_out = "".join(f"; {each}" for each in gpus.left_out)
            yield f"{count} x {name} are listed, and there are {len(found)}{left_out}"
        for vram in sorted({each.vram_gb for each in listings.values() if each.gpu_model == number}):
            large = [gpu for gpu in found if not gpu.vram_gb or gpu.vram_gb * 100 >= vram * SLACK_PERCENT]
            count = most(partial(_count, number, vram))
            if len(large) < min(count, len(found)):
                yield f"{count} x {name} with {vram} GB of VRAM or more are listed, and there are {len(large)}"
    cuda = max((each.cuda for each in listings.values()), default=0)
    major, _, minor = (gpus.cuda or "").partition(".")
    if gpus.cuda is not None and int(major) * CUDA_MAJOR + int(minor) < cuda:
        yield f"CUDA {cuda // CUDA_MAJOR}.{cuda % CUDA_MAJOR} is listed, and the driver supports {gpus.cuda}"


def _count(model: int, least_vram: int, listing: Listing) -> int:
    return listing.gpu_count * (listing.gpu_model == model and listing.vram_gb >= least_vram)
