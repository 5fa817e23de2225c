"""The GPUs of a machine, from the PCI bus, and for NVIDIA from `nvidia-smi`, the text interface of NVML."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anchor_client.rules.gpu_match import model_of
from anchor_client.rules.gpu_model import GpuModel, PciId
from host_agent.commands import run
from host_agent.errors import MachineFault

SYS: Final = Path("/sys")
NVIDIA: Final = 0x10DE
AMD: Final = 0x1002
DISPLAY_CLASS: Final = 0x03
"""Of a PCI device: display controllers and accelerators that pass for such."""
ACCELERATOR_CLASS: Final = 0x12
MIB_PER_GIB: Final = 1_024
GIBIBYTE: Final = 2**30
QUERY: Final = ("nvidia-smi", "--query-gpu=pci.bus_id,pci.device_id,name,memory.total,driver_version", "--format=csv")
GENERATIONS: Final = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""Of PCIe, by gigatransfers a second."""
WITHOUT_UNITS: Final = "noheader,nounits"
CUDA: Final = re.compile(r"CUDA[A-Za-z ]*Version\s*:\s*(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class DetectedGpu:
    """One GPU. `vram_gib` and values that only a driver reports are None if it does not."""

    bus: str
    """Its address on the PCI bus: domain, bus, device and function."""
    pci: PciId
    name: str | None
    vram_gib: float | None
    driver: str | None
    pcie_width: int | None
    pcie_generation: int | None = None

    @property
    def model(self) -> GpuModel:
        """Its model in the catalog."""
        return model_of(self.pci, self.name, self.vram_gib)

    @property
    def vram_gb(self) -> int:
        """GB for a listing: the model's, or the driver's; 0 if neither is known."""
        return self.model.vram_gb or round(self.vram_gib or 0)


@dataclass(frozen=True, slots=True)
class Gpus:
    """All GPUs, and the highest CUDA version of NVIDIA's driver, if installed."""

    all: Sequence[DetectedGpu]
    cuda: str | None

    def by_model(self) -> Mapping[tuple[GpuModel, int], int]:
        """Number of GPUs of each model and size of memory."""
        return Counter((gpu.model, gpu.vram_gb) for gpu in self.all)


async def find_gpus(sys: Path = SYS) -> Gpus:
    """Every NVIDIA or AMD GPU. MachineFault if NVIDIA's driver is installed but fails."""
    devices = {gpu.bus: gpu for gpu in _on_bus(sys)}
    told, cuda = await _nvidia_smi()
    for gpu in told:
        known = devices.get(gpu.bus)
        link = (None, None) if known is None else (known.pcie_width, known.pcie_generation)
        devices[gpu.bus] = DetectedGpu(gpu.bus, gpu.pci, gpu.name, gpu.vram_gib, gpu.driver, *link)
    return Gpus([devices[bus] for bus in sorted(devices)], cuda)


def _on_bus(sys: Path) -> Iterator[DetectedGpu]:
    for device in sorted((sys / "bus/pci/devices").glob("*")):
        vendor, kind = _number(device / "vendor"), _number(device / "class")
        if vendor not in (NVIDIA, AMD) or kind is None or kind >> 16 not in (DISPLAY_CLASS, ACCELERATOR_CLASS):
            continue
        pci = PciId(vendor, _number(device / "device") or 0, _number(device / "revision"))
        memory = _number(device / "mem_info_vram_total")
        yield DetectedGpu(
            bus=device.name.lower(),
            pci=pci,
            name=_text(device / "product_name") or None,
            vram_gib=None if memory is None else memory / GIBIBYTE,
            driver=None,
            pcie_width=_number(device / "max_link_width"),
            pcie_generation=GENERATIONS.get(_text(device / "max_link_speed").partition(" ")[0]),
        )


async def _nvidia_smi() -> tuple[Sequence[DetectedGpu], str | None]:
    """GPUs and CUDA version reported by NVIDIA's driver; empty if it is not installed."""
    try:
        status, said = await run(*QUERY[:-1], f"{QUERY[-1]},{WITHOUT_UNITS}")
    except FileNotFoundError:
        return (), None
    except OSError as error:
        raise MachineFault(f"nvidia-smi cannot be run: {error}", "Check NVIDIA's driver.") from error
    if status != 0:
        raise MachineFault(f"nvidia-smi fails: {said.strip()}", "Check NVIDIA's driver: `nvidia-smi` shows more.")
    gpus = [_told(row) for row in csv.reader(said.splitlines(), skipinitialspace=True) if len(row) == len(_FIELDS)]
    _, banner = await run("nvidia-smi")
    cuda = CUDA.search(banner)
    return gpus, None if cuda is None else cuda[1]


_FIELDS: Final = ("bus", "device", "name", "memory", "driver")


def _told(row: Sequence[str]) -> DetectedGpu:
    bus, device, name, memory, driver = row
    number = int(device, 16)
    vram = float(memory) / MIB_PER_GIB if memory.replace(".", "").isdigit() else None
    return DetectedGpu(_short_bus(bus), PciId(number & 0xFFFF, number >> 16), name, vram, driver, None)


def _short_bus(bus: str) -> str:
    """An address in the kernel's format: NVIDIA's driver writes the domain with eight digits."""
    domain, _, rest = bus.partition(":")
    return f"{int(domain, 16):04x}:{rest}".lower()


def _number(file: Path) -> int | None:
    text = _text(file)
    try:
        return int(text, 16 if text.startswith("0x") else 10)
    except ValueError:
        return None


def _text(file: Path) -> str:
    """Text of a kernel file; empty if it is missing, or its driver does not answer."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""
