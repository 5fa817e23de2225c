"""GPU models by the names that people use for them."""

from __future__ import annotations

import pytest

from anchor_client.errors import AmbiguousGpu, UnknownGpu
from anchor_client.rules.catalog import ALL_GPU_MODELS
from anchor_client.rules.gpu_name import match_gpu


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("4090", "nvidia-rtx-4090-24gb"),
        ("rtx4090", "nvidia-rtx-4090-24gb"),
        ("GeForce RTX 4090 24 GB", "nvidia-rtx-4090-24gb"),
        ("4090 D", "nvidia-rtx-4090-d-24gb"),
        ("H100 PCIe", "nvidia-h100-pcie-80gb"),
        ("h100pcie", "nvidia-h100-pcie-80gb"),
        ("a100 sxm 80gb", "nvidia-a100-sxm4-80gb"),
        ("4060ti 16gb", "nvidia-rtx-4060-ti-16gb"),
        ("7900XTX", "amd-rx-7900-xtx-24gb"),
        ("b200", "nvidia-b200-sxm6-180gb"),
        ("a4000", "nvidia-rtx-a4000-16gb"),
        ("L4", "nvidia-l4-24gb"),
        ("6", "nvidia-rtx-4090-24gb"),
        ("60000", "60000"),
    ],
)
def test_match_gpu__name_that_fits_one_model__is_that_model(text: str, slug: str) -> None:
    assert match_gpu(text).slug == slug


def test_match_gpu__every_slug__is_its_own_model() -> None:
    assert [match_gpu(model.slug) for model in ALL_GPU_MODELS] == [*ALL_GPU_MODELS]


def test_match_gpu__every_printed_name__is_its_own_model_or_told_apart_by_id() -> None:
    assert len({model.name for model in ALL_GPU_MODELS}) == len(ALL_GPU_MODELS)
    apart = [model for model in ALL_GPU_MODELS if _found(model.name) != model.slug]
    assert all(not model.vram_gb and _found(model.name).endswith(f"{model.slug}.") for model in apart)
    assert "H100" in [model.name for model in apart] and len(apart) < 10


def _found(text: str) -> str:
    """Slug of the model of a text, or the remedy that names several."""
    try:
        return match_gpu(text).slug
    except AmbiguousGpu as error:
        return error.remedy


def test_match_gpu__name_and_memory_as_the_page_has_them__are_their_model() -> None:
    sized = [model for model in ALL_GPU_MODELS if model.vram_gb]
    shown = [f"{model.name.removesuffix(f' {model.vram_gb}GB')} {model.vram_gb} GB" for model in sized]
    assert [match_gpu(text) for text in shown] == sized


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("h200", "nvidia-h200-sxm5-141gb, nvidia-h200-nvl-141gb"),
        ("4060 ti", "nvidia-rtx-4060-ti-16gb, nvidia-rtx-4060-ti-8gb"),
        ("titan", "nvidia-titan-rtx-24gb, nvidia-titan-v-12gb, nvidia-titan-x-pascal-12gb, nvidia-titan-xp-12gb"),
        ("h100", "nvidia-h100-pcie-80gb, nvidia-h100-sxm5-80gb"),
        ("rtx 4000", "nvidia-quadro-rtx-4000-8gb, nvidia-rtx-4000-ada-20gb"),
    ],
)
def test_match_gpu__name_that_fits_several__names_them(text: str, fitting: str) -> None:
    with pytest.raises(AmbiguousGpu) as raised:
        match_gpu(text)
    assert raised.value.remedy.startswith(f"Choose one of {fitting}")


@pytest.mark.parametrize("text", ["voodoo", "", "nvidia", "0", "65536", "²", "nvidia-h100-pcie-81gb", "rtx"])
def test_match_gpu__no_name__is_refused(text: str) -> None:
    with pytest.raises(UnknownGpu):
        match_gpu(text)
