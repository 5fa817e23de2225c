"""The open catalog of GPU models."""

from __future__ import annotations

from collections import Counter

import pytest

from anchor_client.errors import UnknownGpu
from anchor_client.rules.catalog import ALL_GPU_MODELS, GPU_MODELS, MODEL_NUMBERS, find_gpu, gpu_slug
from anchor_client.rules.gpu_match import model_of
from anchor_client.rules.gpu_model import PciId

NVIDIA, AMD = 0x10DE, 0x1002


def test_catalog__file__has_hundreds_of_models_of_both_makers() -> None:
    makers = Counter(model.slug.partition("-")[0] for model in ALL_GPU_MODELS)
    assert makers["nvidia"] > 250 and makers["amd"] > 60 and makers.keys() == {"nvidia", "amd"}
    assert all(model.name and model.architecture and model.pci for model in ALL_GPU_MODELS)
    figured = [model for model in ALL_GPU_MODELS if model.vram_gb and model.tdp_watts and model.fp32_tflops]
    assert len(figured) > 150


def test_catalog__numbers_and_slugs__are_of_one_model_each() -> None:
    for values in ([model.id for model in ALL_GPU_MODELS], [model.slug for model in ALL_GPU_MODELS]):
        assert [value for value, count in Counter(values).items() if count > 1] == []
    assert all(0 < model.id < MODEL_NUMBERS for model in ALL_GPU_MODELS)


def test_catalog__number__is_the_first_device_id_or_below_256() -> None:
    others = [model for model in ALL_GPU_MODELS if model not in GPU_MODELS and model.id >= 256]
    assert len(others) > 300 and all(model.id == model.pci[0].device for model in others)
    assert [model.id for model in GPU_MODELS] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("pci", "name", "vram", "slug"),
    [
        (PciId(NVIDIA, 0x2684), "NVIDIA GeForce RTX 4090", 23.99, "nvidia-rtx-4090-24gb"),
        (PciId(NVIDIA, 0x2330), "NVIDIA H100 80GB HBM3", 79.6, "nvidia-h100-sxm5-80gb"),
        (PciId(NVIDIA, 0x2901), "NVIDIA B200", 179.1, "nvidia-b200-sxm6-180gb"),
        (PciId(NVIDIA, 0x3182), None, 268.6, "nvidia-b300-sxm6-270gb"),
        (PciId(NVIDIA, 0x31C2), "NVIDIA GB300", 277.5, "nvidia-gb300-279gb"),
        (PciId(NVIDIA, 0x2D04), "NVIDIA GeForce RTX 5060 Ti", 7.99, "nvidia-rtx-5060-ti-8gb"),
        (PciId(NVIDIA, 0x2D04), "NVIDIA GeForce RTX 5060 Ti", 15.9, "nvidia-rtx-5060-ti-16gb"),
        (PciId(NVIDIA, 0x25B6), "NVIDIA A16", 15.0, "nvidia-a16-16gb"),
        (PciId(NVIDIA, 0x25B6), "NVIDIA A2", 15.0, "nvidia-a2-16gb"),
        (PciId(NVIDIA, 0x1E30), "Quadro RTX 8000", 47.5, "nvidia-quadro-rtx-8000-48gb"),
        (PciId(AMD, 0x74A1, 0), None, 192.0, "amd-mi300x-192gb"),
        (PciId(AMD, 0x73BF, 0xC1), None, 16.0, "amd-rx-6800-xt-16gb"),
        (PciId(AMD, 0x73BF, 0xC3), None, 16.0, "amd-rx-6800-16gb"),
        (PciId(AMD, 0x744C, 0xFF), None, 20.0, "amd-rx-7900-xt-20gb"),
        (PciId(NVIDIA, 0x3FFE), "NVIDIA New Thing", 64.0, "16382"),
    ],
)
def test_model_of__device__is_told_by_id_revision_name_and_memory(
    pci: PciId, name: str | None, vram: float, slug: str
) -> None:
    assert model_of(pci, name, vram).slug == slug


def test_find_gpu__number__is_a_model_with_or_without_a_slug() -> None:
    assert find_gpu("6").slug == "nvidia-rtx-4090-24gb"
    unknown = find_gpu("60000")
    assert (unknown.id, unknown.slug, unknown.vram_gb, unknown.points) == (60_000, "60000", 0, 0)
    assert gpu_slug(60_000) == "60000"
    for wrong in ("0", "65536", "²"):
        with pytest.raises(UnknownGpu):
            find_gpu(wrong)


def test_find_gpu__misspelt__names_the_nearest_or_where_all_are() -> None:
    with pytest.raises(UnknownGpu) as near:
        find_gpu("nvidia-rtx-5090")
    assert near.value.remedy.startswith("Did you mean nvidia-rtx-5090")
    with pytest.raises(UnknownGpu) as far:
        find_gpu("voodoo")
    assert far.value.remedy == "`gpu-market gpus --all` lists them; others have numbers from 1 to 65535."


@pytest.mark.parametrize(
    ("slug", "told", "agrees"),
    [
        ("nvidia-rtx-3060-12gb", "NVIDIA GeForce RTX 3060", True),
        ("nvidia-h100-pcie-80gb", "NVIDIA H100 PCIe", True),
        ("nvidia-h100-sxm5-80gb", "NVIDIA H100 PCIe", False),
        ("nvidia-rtx-4080-16gb", "NVIDIA GeForce RTX 4080 Laptop GPU", False),
        ("nvidia-rtx-3070-mobile", "NVIDIA GeForce RTX 3070 Laptop GPU", True),
        ("nvidia-rtx-pro-6000-blackwell-server-96gb", "NVIDIA RTX PRO 6000 Blackwell Server Edition", True),
        ("nvidia-rtx-4070-ti-12gb", "NVIDIA GeForce RTX 4070", False),
    ],
)
def test_is_named__drivers_name__is_that_of_the_model(slug: str, told: str, agrees: bool) -> None:
    assert find_gpu(slug).is_named(told) is agrees
