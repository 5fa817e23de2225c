"""The GPUs of a machine: those of its PCI bus that their driver answers for, and those that cannot be offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from anchor_client.rules.catalog import GPU_BY_ID
from anchor_client.rules.gpu_match import NO_NUMBER, is_near, model_of, models_named
from anchor_client.rules.gpu_model import GpuModel, PciId
from host_agent.detect.nvidia_smi import ABSENT, NvidiaAnswer, NvidiaGpu, ask_nvidia
from host_agent.detect.pci_bus import AMD, AMD_DRIVER, NVIDIA, NVIDIA_DRIVER, SYS, UNSPLIT, PciGpu, read_bus
from host_agent.errors import MachineFault


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
        """GB for a listing: what the driver reports, as the data sheet rounds it; the model's without a driver; 0 if
        unknown.
        """
        model = self.model.vram_gb
        if self.vram_gib is None:
            return 0 if self.driver is not None else model
        return model if is_near(self.vram_gib, model) else round(self.vram_gib)

    def is_named_as(self, model: GpuModel) -> bool:
        """True unless the catalog has the model, and the driver's name does not mean it."""
        if self.name is None or self.driver is None or model.id not in GPU_BY_ID:
            return True
        return model in models_named(self.name, self.vram_gib)


@dataclass(frozen=True, slots=True)
class LeftOutGpu:
    """A GPU that cannot be offered."""

    bus: str | None
    name: str | None
    reason: str

    def __str__(self) -> str:
        named = " ".join(part for part in (self.name or "GPU", self.bus and f"at {self.bus}") if part)
        return f"{named}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs that can be offered, and the highest CUDA version of NVIDIA's driver, if installed."""

    all: Sequence[DetectedGpu]
    cuda: str | None
    left_out: Sequence[LeftOutGpu] = ()

    def by_model(self) -> Mapping[tuple[GpuModel, int], Sequence[DetectedGpu]]:
        """The GPUs of each model and size of memory."""
        found: dict[tuple[GpuModel, int], list[DetectedGpu]] = {}
        for gpu in self.all:
            found.setdefault((gpu.model, gpu.vram_gb), []).append(gpu)
        return found

    def share_of(self, gpus: Sequence[DetectedGpu]) -> Fraction:
        """The share of the machine that some of its GPUs get: by memory, so that a small GPU for the console takes
        little of it; by number if the memory of one is unknown.
        """
        sizes = [gpu.vram_gb for gpu in self.all]
        if not all(sizes):
            return Fraction(len(gpus), len(sizes))
        return Fraction(sum(gpu.vram_gb for gpu in gpus), sum(sizes))


async def find_gpus(sys: Path = SYS) -> Gpus:
    """Every NVIDIA or AMD GPU. MachineFault if NVIDIA's driver fails as a whole, and there are GPUs of it."""
    on_bus = {gpu.bus: gpu for gpu in read_bus(sys)}
    try:
        told = await ask_nvidia()
    except MachineFault:
        if on_bus and all(gpu.pci.vendor != NVIDIA for gpu in on_bus.values()):
            told = ABSENT
        else:
            raise
    left_out = {str(place): LeftOutGpu(fault.bus, fault.name, fault.reason) for place, fault in enumerate(told.faults)}
    known = {gpu.bus for gpu in told.gpus} | {fault.bus for fault in told.faults}
    has_amd_driver = any(gpu.kernel_driver == AMD_DRIVER for gpu in on_bus.values())
    found: dict[str, DetectedGpu] = {}
    for gpu in [*(_driven(row, on_bus) for row in told.gpus), *_undriven(on_bus, known)]:
        reason = _reason(gpu, on_bus.get(gpu.bus), told, has_amd_driver=has_amd_driver)
        if reason is None:
            found[gpu.bus] = gpu
        else:
            name = gpu.name or (None if gpu.model.id == NO_NUMBER else gpu.model.name)
            left_out[gpu.bus] = LeftOutGpu(gpu.bus, name, reason)
    return Gpus([found[bus] for bus in sorted(found)], told.cuda, list(left_out.values()))


def _driven(row: NvidiaGpu, on_bus: Mapping[str, PciGpu]) -> DetectedGpu:
    """A GPU that NVIDIA's driver lists; an id that it does not report is read from the bus."""
    here = on_bus.get(row.bus)
    link = (None, None) if here is None else (here.pcie_width, here.pcie_generation)
    pci = row.pci or (PciId(NVIDIA, 0) if here is None else here.pci)
    return DetectedGpu(row.bus, pci, row.name, row.vram_gib, row.driver, *link)


def _undriven(on_bus: Mapping[str, PciGpu], known: set[str | None]) -> Iterator[DetectedGpu]:
    for bus, gpu in on_bus.items():
        if bus not in known:
            yield DetectedGpu(bus, gpu.pci, gpu.name, gpu.vram_gib, None, gpu.pcie_width, gpu.pcie_generation)


def _reason(gpu: DetectedGpu, here: PciGpu | None, told: NvidiaAnswer, *, has_amd_driver: bool) -> str | None:
    """Why a GPU is not offered; None if it is."""
    if here is not None and here.is_given_away:
        return f"it is reserved for virtual machines ({here.kernel_driver})"
    if gpu.pci.vendor == NVIDIA and told.is_installed and gpu.driver is None:
        return "NVIDIA's driver does not list it"
    if gpu.pci.vendor == NVIDIA and here is not None and here.kernel_driver not in (None, NVIDIA_DRIVER):
        return f"the kernel serves it by {here.kernel_driver}, and containers need NVIDIA's driver"
    if gpu.bus in told.in_mig_mode:
        return f"it is in MIG mode, so containers get slices of it; turn MIG off: `nvidia-smi -i {gpu.bus} -mig 0`"
    if here is not None and here.is_integrated:
        return "it is the processor's own graphics"
    if here is not None and gpu.pci.vendor == AMD and (reason := _amd_reason(here, has_driver=has_amd_driver)):
        return reason
    if gpu.pci.device == 0:
        return "neither its driver nor the bus tells which model it is"
    model = gpu.model
    if model.id == NO_NUMBER:
        return f"the catalog has no number for {gpu.pci}: another maker's model has that one"
    if not gpu.is_named_as(model):
        return f"its PCI id means {model.name} and its name does not, so `job verify` would not accept it"
    return None


def _amd_reason(here: PciGpu, *, has_driver: bool) -> str | None:
    if here.partition not in UNSPLIT:
        return f"it is split ({here.partition}), so programs get parts of it; join it: `amd-smi set -C SPX`"
    if has_driver and here.kernel_driver != AMD_DRIVER:
        return "AMD's driver does not serve it: `dmesg | grep amdgpu` shows why"
    return None
