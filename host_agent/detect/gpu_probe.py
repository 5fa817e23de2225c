"""Has the probe measure GPUs, here or wherever its text is sent, and reads what it prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from pydantic import BaseModel, Field, ValidationError

from host_agent.commands import run

PROBE = "probe.py"


class GpuFigures(BaseModel):
    """Measured speeds of a GPU: 10^12 operations and 10^9 bytes a second."""

    name: str
    bus: str
    fp32_tflops: float = Field(gt=0)
    """Of multiply-adds in registers, which data sheets state."""
    gemm_tflops: float = Field(gt=0)
    """Of a product of matrices."""
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


def probe_text() -> str:
    """A program for any Python 3.7 or newer that measures the GPUs of the machine it runs on."""
    return (files(__package__) / PROBE).read_text("utf-8")


def read_figures(printed: str) -> Probed:
    """Reads the figures from the last line that the program has printed."""
    try:
        told = _Printed.model_validate_json((printed.splitlines() or [""])[-1])
    except ValidationError:
        return Probed((), f"the probe printed no figures: {printed.strip()[-200:] or 'nothing'}")
    return Probed(told.gpus, told.reason)


async def probe_gpus() -> Probed:
    """Measures this machine's GPUs, in a process of its own."""
    _, printed = await run(sys.executable, str(files(__package__) / PROBE))
    return read_figures(printed)
