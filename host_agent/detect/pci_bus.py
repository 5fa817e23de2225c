"""GPUs of the PCI bus, as the kernel lists them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from anchor_client.rules.gpu_model import PciId

SYS: Final = Path("/sys")
NVIDIA: Final = 0x10DE
AMD: Final = 0x1002
DISPLAY_CLASS: Final = 0x03
"""Of a PCI device: display controllers and accelerators that pass for such."""
ACCELERATOR_CLASS: Final = 0x12
ENCRYPTION_CLASS: Final = 0x1080
"""Of the security processor that AMD's processors have beside their graphics, and cards have not."""
LEAST_VRAM_GIB: Final = 2
"""AMD graphics with less own memory borrow the machine's."""
GIBIBYTE: Final = 2**30
AMD_DRIVER: Final = "amdgpu"
NVIDIA_DRIVER: Final = "nvidia"
UNSPLIT: Final = ("", "SPX")
"""Compute partitions of an AMD GPU that is one device; in the others each program gets a part of it."""
GENERATIONS: Final = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""Of PCIe, by gigatransfers a second."""
GIVEN_AWAY: Final = ("vfio-pci", "pci-stub", "xen-pciback")
"""Kernel drivers that hold a device for virtual machines."""


@dataclass(frozen=True, slots=True)
class PciGpu:
    """A GPU of the bus; None for what the kernel does not report."""

    bus: str
    pci: PciId
    name: str | None
    vram_gib: float | None
    pcie_width: int | None
    pcie_generation: int | None
    kernel_driver: str | None
    partition: str
    """Mode in which an AMD GPU is split; empty where it cannot be."""
    is_integrated: bool
    """True for graphics within an AMD processor."""

    @property
    def is_given_away(self) -> bool:
        """True if the kernel holds it for virtual machines."""
        return self.kernel_driver in GIVEN_AWAY


def read_bus(sys: Path = SYS) -> Iterator[PciGpu]:
    """Every NVIDIA or AMD GPU of the bus, by address."""
    for device in sorted((sys / "bus/pci/devices").glob("*")):
        vendor = _number(device / "vendor")
        kind = _number(device / "class")
        if vendor not in (NVIDIA, AMD) or kind is None or kind >> 16 not in (DISPLAY_CLASS, ACCELERATOR_CLASS):
            continue
        memory = _number(device / "mem_info_vram_total")
        vram = None if memory is None else memory / GIBIBYTE
        yield PciGpu(
            bus=device.name.lower(),
            pci=PciId(vendor, _number(device / "device") or 0, _number(device / "revision")),
            name=_text(device / "product_name") or None,
            vram_gib=vram,
            pcie_width=_number(device / "max_link_width"),
            pcie_generation=GENERATIONS.get(_text(device / "max_link_speed").partition(" ")[0]),
            kernel_driver=(device / "driver").resolve().name if (device / "driver").exists() else None,
            partition=_text(device / "current_compute_partition"),
            is_integrated=vendor == AMD and ((vram or LEAST_VRAM_GIB) < LEAST_VRAM_GIB or _is_in_processor(device)),
        )


def _is_in_processor(device: Path) -> bool:
    siblings = device.parent.glob(f"{device.name.rpartition('.')[0]}.*")
    return any((_number(each / "class") or 0) >> 8 == ENCRYPTION_CLASS for each in siblings)


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
