"""Identifies a GPU's model by what its bus and its driver report."""

from __future__ import annotations

from collections.abc import Sequence

from anchor_client.rules.catalog import ALL_GPU_MODELS, gpu_of
from anchor_client.rules.gpu_model import GpuModel, PciId

VRAM_SLACK = 0.12
"""Share of the memory by which a driver and a data sheet may differ: units, and what the driver keeps."""


def model_of(pci: PciId, name: str | None = None, vram_gb: float | None = None) -> GpuModel:
    """The model of a device; one without a slug, of the number that its device id is, where the catalog has none.

    Models that share a PCI id are told apart by revision, driver's name and memory, as far as those are known.
    """
    found: Sequence[GpuModel] = [model for model in ALL_GPU_MODELS if any(_is(pci, each) for each in model.pci)]
    for agrees in (
        lambda model: pci.revision is not None and pci in model.pci,
        lambda model: name is not None and model.is_named(name),
        lambda model: bool(vram_gb and model.vram_gb) and _is_near(vram_gb or 0, model.vram_gb),
    ):
        found = [model for model in found if agrees(model)] or found
    return found[0] if found else gpu_of(pci.device)


def _is(pci: PciId, known: PciId) -> bool:
    return (pci.vendor, pci.device) == (known.vendor, known.device)


def _is_near(told: float, listed: int) -> bool:
    return abs(told - listed) <= listed * VRAM_SLACK
