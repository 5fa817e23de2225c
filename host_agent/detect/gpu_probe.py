"""Runs the GPU probe, here or on a machine that gets its text, and reads its output."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from pydantic import BaseModel, Field, ValidationError

from host_agent.commands import run

PROBE = "probe.py"
UNUSABLE: Final = re.compile(r"(cuInit|cuDeviceGetCount) gives (?!(?:34|803|804)$)\d+")
"""The driver finds no GPU that computes. The other codes are of a library that the image brings: a stub, or one for
another driver."""


class GpuFigures(BaseModel):
    """Measured speeds of a GPU: 10^12 operations and 10^9 bytes a second."""

    name: str
    bus: str
    fp32_tflops: float = Field(gt=0)
    """Speed of multiply-adds in registers, as in data sheets."""
    gemm_tflops: float = Field(gt=0)
    """Speed of a matrix product."""
    memory_gb_per_second: float = Field(gt=0)
    """Read and written."""
    pcie_gb_per_second: float = Field(gt=0)
    """From the machine's memory."""


class _Printed(BaseModel):
    gpus: list[GpuFigures]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Probed:
    """Each GPU's figures; without any, the reason."""

    gpus: Sequence[GpuFigures]
    reason: str | None = None

    @property
    def is_unusable(self) -> bool:
        """True if the driver is there and no GPU can be used."""
        return not self.gpus and self.reason is not None and UNUSABLE.fullmatch(self.reason) is not None


def probe_text() -> str:
    """A program for Python 3.7 or newer that measures the GPUs of its machine."""
    return (files(__package__) / PROBE).read_text("utf-8")


def read_figures(printed: str) -> Probed:
    """Reads the figures from the last line of the program's output."""
    try:
        told = _Printed.model_validate_json((printed.splitlines() or [""])[-1])
    except ValidationError:
        return Probed((), f"the probe printed no figures: {printed.strip()[-200:] or 'nothing'}")
    return Probed(told.gpus, told.reason)


async def probe_gpus() -> Probed:
    """Measures this machine's GPUs in a separate process."""
    _, printed = await run(sys.executable, str(files(__package__) / PROBE))
    return read_figures(printed)
