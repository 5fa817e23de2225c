"""A machine's figures from its GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anchor_client.generated.constants import MB_PER_GB
from host_agent.detect.gpu_probe import GpuFigures
from host_agent.detect.gpus import DetectedGpu

GIGA_PER_TERA = 1_000


def links(gpus: Sequence[DetectedGpu]) -> dict[str, Any]:
    """The narrowest known link."""
    known = [(gpu.pcie_generation, gpu.pcie_width) for gpu in gpus if gpu.pcie_generation and gpu.pcie_width]
    generation, width = min(known, default=(None, None))
    return {"pcie_generation": generation, "pcie_width": width}


def rates(gpus: Sequence[GpuFigures]) -> dict[str, Any]:
    """The slowest GPU's figure for each."""
    if not gpus:
        return {}
    return {
        "fp32_gflops": round(min(gpu.fp32_tflops for gpu in gpus) * GIGA_PER_TERA),
        "gemm_gflops": round(min(gpu.gemm_tflops for gpu in gpus) * GIGA_PER_TERA),
        "vram_mb_per_second": round(min(gpu.memory_gb_per_second for gpu in gpus) * MB_PER_GB),
        "pcie_mb_per_second": round(min(gpu.pcie_gb_per_second for gpu in gpus) * MB_PER_GB),
    }
