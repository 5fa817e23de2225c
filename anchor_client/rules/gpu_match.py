"""Identifies a GPU's model by the reports of its bus and its driver."""

from __future__ import annotations

from collections.abc import Sequence

from anchor_client.rules.catalog import ALL_GPU_MODELS, GPU_BY_ID
from anchor_client.rules.gpu_model import GpuModel, PciId, unnamed

NO_NUMBER = 0
"""Instead of the number of a model that cannot be listed."""

VRAM_SLACK = 0.12
"""Share of the memory by which a driver and a data sheet may differ: units, and what the driver keeps."""


def model_of(pci: PciId, name: str | None = None, vram_gb: float | None = None) -> GpuModel:
    """The model of a device; if the catalog has none with its id, the one that its driver's name means. Otherwise one
    without a slug, of the number that its device id is, or of NO_NUMBER if that number is another model's: makers count
    independently.

    Models that share a PCI id or a name are told apart by revision, driver's name and memory, if those are known.
    """
    found: Sequence[GpuModel] = [model for model in ALL_GPU_MODELS if any(_is(pci, each) for each in model.pci)]
    for agrees in (
        lambda model: pci.revision is not None and pci in model.pci,
        lambda model: name is not None and model.is_named(name),
        lambda model: vram_gb is not None and is_near(vram_gb, model.vram_gb),
    ):
        found = [model for model in found if agrees(model)] or found
    named = () if name is None else models_named(name, vram_gb)
    if found:
        return _named_alike(found[0], named)
    if named:
        return named[0]
    return unnamed(NO_NUMBER if pci.device in GPU_BY_ID else pci.device)


def _named_alike(model: GpuModel, named: Sequence[GpuModel]) -> GpuModel:
    """The model; if its name has another one with the memory that the driver reports, that one."""
    if model in named:
        return model
    return next((each for each in named if each.telling_words == model.telling_words), model)


def models_named(told: str, vram_gb: float | None = None) -> Sequence[GpuModel]:
    """The models that a driver's name may mean: of those whose names fit, the ones that fit in the most words, and of
    these the ones with the memory that the name states, if any has it: a Grace Hopper's name states its processor's.

    Of models that have one name and different memory, those nearest to the `vram_gb` GiB that the driver reports.
    """
    fitting = [model for model in ALL_GPU_MODELS if model.is_named(told)]
    most = max((len(model.telling_words) for model in fitting), default=0)
    nearest = [model for model in fitting if len(model.telling_words) == most]
    return _nearest_in_size([model for model in nearest if model.is_sized(told)] or nearest, vram_gb)


def _nearest_in_size(models: Sequence[GpuModel], vram_gb: float | None) -> Sequence[GpuModel]:
    """All of them where none has about this memory: a card may have been given more than its model has."""
    if vram_gb is None:
        return models
    apart = [abs(vram_gb - model.vram_gb) for model in models if is_near(vram_gb, model.vram_gb)]
    if not apart:
        return models
    return [model for model in models if not model.vram_gb or abs(vram_gb - model.vram_gb) == min(apart)]


def is_near(told: float, listed: int) -> bool:
    """True if a driver's GiB are the GB of a data sheet."""
    return abs(told - listed) <= listed * VRAM_SLACK


def _is(pci: PciId, known: PciId) -> bool:
    return (pci.vendor, pci.device) == (known.vendor, known.device)
