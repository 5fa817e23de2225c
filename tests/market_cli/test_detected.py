"""GPUs that were measured, as `gpu-market host detect` shows them."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from anchor_client.rules.gpu_model import PciId
from host_agent.detect.benchmark import MeasuredSpeeds
from host_agent.detect.gpu_probe import GpuFigures, Probed
from host_agent.detect.gpus import DetectedGpu, Gpus
from host_agent.detect.machine import Disk, Hardware
from market_cli.commands.host.detected import document, shown

GPU = DetectedGpu("0000:0a:00.0", PciId(0x10DE, 0x2684), "NVIDIA GeForce RTX 4090", 24, "570.86.15", 16, 4)
MEASURED = GpuFigures(
    name="NVIDIA GeForce RTX 4090",
    bus=GPU.bus,
    fp32_tflops=79.1,
    gemm_tflops=41.2,
    memory_gb_per_second=930,
    pcie_gb_per_second=25.6,
)
HARDWARE = Hardware(None, 8, 64, Disk(Path("/"), 1_000, 900, "nvme"), 1_000)
FIGURES = MeasuredSpeeds(1_200, 9_000, 2_400)


def test_detected__gpu_was_measured__is_with_its_link_and_driver() -> None:
    told = document(Gpus([GPU], "12.8"), HARDWARE, FIGURES, Probed([MEASURED]))
    (gpu,) = told["gpus"]
    assert gpu["measured"] == {
        **{"fp32_tflops": 79.1, "gemm_tflops": 41.2, "memory_gb_per_second": 930, "pcie_gb_per_second": 25.6}
    }
    assert (gpu["pcie_generation"], gpu["pcie_width"], told["gpus_unmeasured"]) == (4, 16, None)
    text = _text(Probed([MEASURED]))
    assert "PCIe 4.0 x16, driver 570.86.15, 79.1 TFLOPS of FP32" in text and "940 Mbit/s" in text


def test_detected__gpu_was_not_measured__says_why() -> None:
    told = document(Gpus([GPU], "12.8"), HARDWARE, FIGURES, Probed((), "cuInit gives 100"))
    assert (told["gpus"][0]["measured"], told["gpus_unmeasured"]) == (None, "cuInit gives 100")
    assert "not: cuInit gives 100" in _text(Probed((), "cuInit gives 100"))


def _text(probed: Probed) -> str:
    console = Console(width=250)
    with console.capture() as capture:
        console.print(shown(Gpus([GPU], "12.8"), HARDWARE, FIGURES, probed, 940))
    return capture.get()
