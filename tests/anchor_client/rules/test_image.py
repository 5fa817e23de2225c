"""CUDA that images demand by their names, and the machine that is chosen for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.pubkey import Pubkey

from anchor_client.market.host.offers import Offer, choose
from anchor_client.orders import DEFAULT_IMAGE
from anchor_client.rules.image import cuda_of


@pytest.mark.parametrize(
    ("image", "cuda"),
    [
        (DEFAULT_IMAGE, 1_206),
        ("nvidia/cuda:13.0-base", 1_300),
        ("docker.io/nvidia/cuda:11.8.0-devel-ubuntu22.04", 1_108),
        ("nvcr.io/nvidia/cuda:12.10.1-base", 1_210),
        ("nvidia/cuda", 0),
        ("nvidia/cuda:latest", 0),
        ("ghcr.io/nvidia/cuda:12.6", 0),
        ("own/nvidia/cuda:12.6", 0),
        ("ubuntu:24.04", 0),
    ],
)
def test_cuda_of__name__tells_it_for_nvidias_own_images(image: str, cuda: int) -> None:
    assert cuda_of(image) == cuda


@pytest.mark.parametrize(
    ("offered", "cuda", "chosen"),
    [
        ((1_204, 1_206, 1_208), 1_206, 1),
        ((1_204, 0, 1_208), 1_206, 1),
        ((1_204, 1_208), 0, 0),
        ((1_204, 1_202), 1_206, 0),
        ((1_208, 1_206), 1_206, 0),
    ],
)
def test_choose__image_of_a_cuda__goes_to_the_best_machine_that_has_it_or_else_to_the_best(
    offered: tuple[int, ...], cuda: int, chosen: int
) -> None:
    offers = [
        Offer(Pubkey.new_unique(), cast(Any, SimpleNamespace(cuda=each)), approved=True, online=True)
        for each in offered
    ]
    assert choose(offers, cuda) is offers[chosen]
