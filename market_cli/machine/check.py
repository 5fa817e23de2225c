"""Compares a machine's own answers over SSH with its listing. It cannot detect a host that forges them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from anchor_client.generated.accounts import Listing
from anchor_client.rules.catalog import GPU_BY_ID, gpu_of
from anchor_client.rules.gpu_match import models_named
from anchor_client.rules.listing import CUDA_MAJOR
from host_agent.detect.gpu_probe import GpuFigures
from host_agent.detect.nvidia_smi import FAULTY, UNTOLD, whole_number
from market_cli.machine.questions import MachineAnswers

SLACK_PERCENT: Final = 90
"""Required share of listed GB: drivers and file systems take some, and GB may be GiB."""
SPEED_PERCENT: Final = 50
"""Required share of a listed speed, or of a model's known speed: heat and power limits lower clocks, and disks and
lines are shared. A different model passed off as this one is usually slower.
"""
ROW_FIELDS: Final = 5
"""Of a GPU, in the answer of NVIDIA's tool."""
NOT_LISTED: Final = "not listed"
NOT_TOLD: Final = "unknown"
KIB: Final = 1_024
GB: Final = 10**9
MIB: Final = 2**20
MIB_IN_GIB: Final = 1_024


@dataclass(frozen=True, slots=True)
class MachineFinding:
    """One property; `agrees` is None if the machine does not report it, or nothing was listed."""

    what: str
    listed: str
    found: str
    agrees: bool | None = None


def compare(listing: Listing, answers: MachineAnswers) -> list[MachineFinding]:
    """Each listed property with the machine's answer, and its other answers about GPUs."""
    return [
        *_gpus(listing, answers),
        *_rest(listing, answers.told),
        *_measured(listing, answers),
        *_network(listing, answers),
    ]


def _gpus(listing: Listing, answers: MachineAnswers) -> Iterator[MachineFinding]:
    told = answers.told.get("gpus", "")
    found = list(filter(None, map(_row, told.split(";"))))
    named = [(name, whole_number(memory)) for name, memory, *_ in found]
    named += [(gpu.name, None) for gpu in answers.figures.gpus]
    sizes = [size for _, size in named if size is not None]
    is_model = _is_model(listing.gpu_model, named)
    yield MachineFinding("GPU", gpu_of(listing.gpu_model).name, _each(name for name, _ in named), is_model)
    yield _number_of_gpus(listing.gpu_count, answers, len(found) if told.strip("; ") else None)
    least = min(sizes, default=0) * MIB // GB
    vram = f"{least} GB" if sizes else NOT_TOLD
    yield MachineFinding("VRAM of each", f"{listing.vram_gb} GB", vram, _holds(least, listing.vram_gb))
    yield MachineFinding("driver", NOT_LISTED, _each(one[2] for one in found))
    links = [
        f"{generation}.0 x{width}"
        for *_, generation, width in found
        if whole_number(generation) and whole_number(width)
    ]
    yield MachineFinding("PCIe", NOT_LISTED, _each(links))


def _row(line: str) -> tuple[str, ...] | None:
    """A GPU's name, memory, driver and link; None for a line that cannot be read, or one about a GPU that failed."""
    parts = tuple(part.strip() for part in line.rsplit(",", ROW_FIELDS - 1))
    if len(parts) != ROW_FIELDS or any(FAULTY.search(part) for part in parts) or UNTOLD.fullmatch(parts[0]):
        return None
    return parts if whole_number(parts[1]) is not None or UNTOLD.fullmatch(parts[1]) else None


def _is_model(listed: int, named: Sequence[tuple[str, int | None]]) -> bool | None:
    """True if every name, with the MiB that the tool reports, may mean the listed model; None if none means any."""
    meant = [{model.id for model in models_named(name, mib and mib / MIB_IN_GIB)} for name, mib in named]
    if not any(meant):
        return None if listed not in GPU_BY_ID or not named else False
    return all(listed in ids for ids in meant)


def _number_of_gpus(listed: int, answers: MachineAnswers, readable: int | None) -> MachineFinding:
    """GPUs by the tool's readable rows, or without the tool by device and by measurement. A listed GPU must show up."""
    devices = whole_number(answers.told.get("devices", ""))
    figures = answers.figures
    if readable is not None:
        found = readable
        how = "" if readable else " that can be used"
    elif devices is not None:
        found = devices
        how = " by device"
    else:
        found = len(figures.gpus)
        how = " measured"
    if figures.is_unusable:
        return MachineFinding("GPUs", str(listed), f"{found}{how}, none of them works: {figures.reason}", False)
    return MachineFinding("GPUs", str(listed), f"{found}{how}", found >= listed)


def _rest(listing: Listing, told: dict[str, str]) -> Iterator[MachineFinding]:
    cores, ram, disk = (_number(told, word) for word in ("cores", "ram", "disk"))
    has_cores = cores >= listing.cpu_cores if cores else None
    yield MachineFinding("CPU cores", str(listing.cpu_cores), str(cores or NOT_TOLD), has_cores)
    for what, size, least in (("RAM", ram, listing.ram_gb), ("disk", disk, listing.disk_gb)):
        found = size * KIB // GB
        yield MachineFinding(what, f"{least} GB", f"{found} GB" if size else NOT_TOLD, _holds(found, least))
    listed = f"{listing.cuda // CUDA_MAJOR}.{listing.cuda % CUDA_MAJOR}"
    version = re.fullmatch(r"([0-9]{1,3})\.([0-9]{1,3})", told.get("cuda", ""))
    if version is None:
        yield MachineFinding("CUDA", listed, NOT_TOLD)
    else:
        number = int(version[1]) * CUDA_MAJOR + int(version[2])
        yield MachineFinding("CUDA", listed, version[0], number >= listing.cuda)


def _measured(listing: Listing, answers: MachineAnswers) -> Iterator[MachineFinding]:
    gpus = answers.figures.gpus
    reason = f"{NOT_TOLD}: {answers.figures.reason}"
    model = GPU_BY_ID.get(listing.gpu_model)
    known = model.fp32_tflops if model is not None else 0
    slowest = min((gpu.fp32_tflops for gpu in gpus), default=0)
    yield MachineFinding(
        "FP32 of each",
        f"{known:g} TFLOPS by the catalog" if known else NOT_LISTED,
        f"{slowest:.1f} TFLOPS" if gpus else reason,
        _is_fast(slowest, known),
    )
    for what, unit, figure in (
        ("GEMM of each", "TFLOPS", "gemm_tflops"),
        ("VRAM speed of each", "GB/s", "memory_gb_per_second"),
        ("PCIe speed of each", "GB/s", "pcie_gb_per_second"),
    ):
        least = NOT_TOLD
        if gpus:
            least = f"{_least(gpus, figure):.1f} {unit}"
        yield MachineFinding(what, NOT_LISTED, least)
    written, hashed = (_number(answers.told, word) for word in ("disk_speed", "cpu_speed"))
    yield MachineFinding(
        "disk, written",
        f"{listing.disk_mbps} MB/s",
        _said(written, "MB/s"),
        _is_fast(written, listing.disk_mbps),
    )
    yield MachineFinding("CPU, SHA-256", NOT_LISTED, _said(hashed, "MB/s"))


def _network(listing: Listing, answers: MachineAnswers) -> Iterator[MachineFinding]:
    """A slow line to this computer proves nothing; a slow download from a server that the renter chose does."""
    for what, listed, found in (
        ("network, up", listing.net_up_mbps, answers.up_mbps),
        ("network, down", listing.net_down_mbps, answers.down_mbps),
    ):
        seen = _said(found, "Mbit/s or more, to this computer")
        yield MachineFinding(what, f"{listed} Mbit/s", seen, _is_fast(found, listed) or None)
    if answers.download_mbps is not None:
        found = answers.download_mbps
        listed = listing.net_down_mbps
        text = f"{found} Mbit/s" if found else f"{NOT_TOLD}: no data arrived"
        yield MachineFinding("download", f"{listed} Mbit/s", text, _is_fast(found, listed))


def _each(words: Iterator[str] | list[str]) -> str:
    return ", ".join(sorted(set(words))) or NOT_TOLD


def _said(figure: int, unit: str) -> str:
    """A figure with its unit; 0 is one that the machine does not report."""
    return f"{figure} {unit}" if figure else NOT_TOLD


def _number(told: dict[str, str], word: str) -> int:
    return whole_number(told.get(word, "")) or 0


def _least(gpus: Sequence[GpuFigures], figure: str) -> float:
    return min(float(getattr(gpu, figure)) for gpu in gpus)


def _holds(found: int, listed: int) -> bool | None:
    return found * 100 >= listed * SLACK_PERCENT if found else None


def _is_fast(found: float, listed: float) -> bool | None:
    return found * 100 >= listed * SPEED_PERCENT if found and listed else None
