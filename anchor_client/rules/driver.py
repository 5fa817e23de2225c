"""Versions of GPU drivers in their order."""

from __future__ import annotations

import re
from typing import Final

PATTERN: Final = r"^[0-9]{1,4}(\.[0-9]{1,4}){0,2}$"
"""NVIDIA's have two or three parts, such as 570.86.15."""
STEP: Final = 10_000


def driver_rank(version: str) -> int:
    """A number that grows with the version; missing parts count as 0. ValueError for an invalid version."""
    if re.fullmatch(PATTERN, version) is None:
        raise ValueError(f"{version!r} is not a driver version, such as 570.86.15")
    major, minor, patch = (*map(int, version.split(".")), 0, 0)[:3]
    return (major * STEP + minor) * STEP + patch
