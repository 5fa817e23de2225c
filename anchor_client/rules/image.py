"""CUDA that NVIDIA's own images demand, by their names."""

from __future__ import annotations

import re
from typing import Final

from anchor_client.rules.listing import CUDA_MAJOR

_OF_CUDA: Final = re.compile(r"(?:docker\.io/|nvcr\.io/)?nvidia/cuda:(\d+)\.(\d+)\b")


def cuda_of(image: str) -> int:
    """CUDA version that an image demands, 1206 for 12.6; zero if its name has none."""
    found = _OF_CUDA.match(image)
    return 0 if found is None else int(found[1]) * CUDA_MAJOR + int(found[2])
