"""Answers of NVIDIA's driver about its GPUs, by `nvidia-smi`, the text interface of NVML."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from anchor_client.rules.gpu_model import PciId
from host_agent.commands import run
from host_agent.errors import MachineFault

QUERY: Final = (
    "nvidia-smi",
    "--query-gpu=pci.bus_id,pci.device_id,name,memory.total,driver_version",
    "--format=csv,noheader,nounits",
)
FIELDS: Final = 5
SECONDS: Final = 60.0
"""Time for an answer: the tool can hang on a GPU that has fallen off the bus."""
MIB_PER_GIB: Final = 1_024
CUDA: Final = re.compile(r"CUDA[A-Za-z ]*Version\s*:\s*([0-9]{1,3}\.[0-9]{1,3})(?![0-9])")
BUS: Final = re.compile(r"(?<![0-9a-f:])([0-9a-f]{4,8}):([0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\b", re.IGNORECASE)
"""The tool writes some addresses right behind another word: GPU0000:02:00.0."""
DEVICE: Final = re.compile(r"0x([0-9a-f]{4})([0-9a-f]{4})", re.IGNORECASE)
MEMORY: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(?: MiB)?")
UNTOLD: Final = re.compile(r"\[?(N/A|Not Supported|Not Available)\]?", re.IGNORECASE)
"""The tool's words for a value that the GPU does not have, which is no fault."""
FAULTY: Final = re.compile(
    r"ERR!|Unknown Error|requires? reset|reset required|is lost|fallen off|unable to determine|not accessible|"
    r"Insufficient (External )?Power|timed? ?out",
    re.IGNORECASE,
)
MOST_DIGITS: Final = 15
NONE_FOUND: Final = "no devices were found"


@dataclass(frozen=True, slots=True)
class NvidiaGpu:
    """A GPU that the driver lists."""

    bus: str
    pci: PciId | None
    name: str
    vram_gib: float | None
    driver: str


@dataclass(frozen=True, slots=True)
class FaultyGpu:
    """A GPU that the driver cannot use, or whose report is unreadable."""

    bus: str | None
    name: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class NvidiaAnswer:
    """The driver's answer. `is_installed` is False if there is no such driver."""

    gpus: Sequence[NvidiaGpu]
    faults: Sequence[FaultyGpu] = ()
    cuda: str | None = None
    in_mig_mode: frozenset[str] = frozenset()
    """Bus addresses of the GPUs that are split into instances."""
    is_installed: bool = True


ABSENT: Final = NvidiaAnswer((), is_installed=False)


async def ask_nvidia() -> NvidiaAnswer:
    """The driver's answer. MachineFault if it fails for all GPUs."""
    try:
        async with asyncio.timeout(SECONDS):
            status, said = await run(*QUERY)
            _, banner = await run(QUERY[0])
    except FileNotFoundError:
        return ABSENT
    except TimeoutError:
        raise MachineFault(
            f"nvidia-smi does not answer within {SECONDS:g} s", "A GPU may have failed: `dmesg | grep Xid` shows it."
        ) from None
    except OSError as error:
        raise MachineFault(f"nvidia-smi cannot be run: {error}", "Check NVIDIA's driver.") from error
    answers = list(_read(said))
    gpus = [each for each in answers if isinstance(each, NvidiaGpu)]
    listed = {gpu.bus for gpu in gpus}
    faults = [each for each in answers if isinstance(each, FaultyGpu) and (each.bus is None or each.bus not in listed)]
    if status != 0 and not gpus and NONE_FOUND not in said.lower():
        reason = said.strip() or f"exit code {status}, without a word"
        raise MachineFault(f"nvidia-smi fails: {reason}", "Check NVIDIA's driver: `nvidia-smi` shows more.")
    cuda = CUDA.search(banner)
    return NvidiaAnswer(gpus, faults, None if cuda is None else cuda[1], _in_mig_mode(banner))


def _read(said: str) -> Iterator[NvidiaGpu | FaultyGpu]:
    """The tool's lines; warnings that concern no GPU's use are skipped."""
    for line in map(str.strip, said.splitlines()):
        first, *rest = (part.strip() for part in line.split(","))
        if len(rest) >= FIELDS - 1 and (BUS.fullmatch(first) or UNTOLD.fullmatch(first) or FAULTY.search(first)):
            yield _row(first, rest)
        elif (bus := BUS.search(line)) is not None and FAULTY.search(line):
            yield FaultyGpu(short_bus(bus), None, line)


def _row(bus: str, rest: Sequence[str]) -> NvidiaGpu | FaultyGpu:
    device, *names, memory, driver = rest
    name = ", ".join(names)
    place = BUS.fullmatch(bus)
    here = None if place is None else short_bus(place)
    told = MEMORY.fullmatch(memory)
    readable = None if FAULTY.search(name) or UNTOLD.fullmatch(name) else name
    wrong = next((field for field in (bus, device, name, memory, driver) if FAULTY.search(field)), None)
    if wrong is not None:
        return FaultyGpu(here, readable, f"its driver reports {wrong!r}")
    if here is None:
        return FaultyGpu(None, readable, "it is on no PCI bus, so its model cannot be told")
    if told is None and not UNTOLD.fullmatch(memory):
        return FaultyGpu(here, readable, f"its memory cannot be read: {memory!r}")
    number = DEVICE.fullmatch(device)
    return NvidiaGpu(
        here,
        None if number is None else PciId(int(number[2], 16), int(number[1], 16)),
        name,
        None if told is None else float(told[1]) / MIB_PER_GIB,
        driver,
    )


def _in_mig_mode(banner: str) -> frozenset[str]:
    """Each GPU has several lines; the last cell of one of them says whether it is split."""
    bus = None
    found = set[str]()
    for line in banner.splitlines():
        if (place := BUS.search(line)) is not None:
            bus = short_bus(place)
        elif bus is not None and line.strip(" |").rpartition("|")[2].strip(" *") == "Enabled":
            found.add(bus)
    return frozenset(found)


def whole_number(text: str) -> int | None:
    """A number of a few plain digits; None for any other text, such as one that a host has made up."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def short_bus(bus: re.Match[str]) -> str:
    """An address in the kernel's format: NVIDIA's driver writes the domain with eight digits."""
    return f"{int(bus[1], 16):04x}:{bus[2]}".lower()
