"""Image that runs where an order names none."""

from __future__ import annotations

from typing import Final

DEFAULT_IMAGE: Final = "nvidia/cuda:12.6.3-runtime-ubuntu24.04"
