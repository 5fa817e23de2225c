"""Hardware found on a machine, and its measured speeds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.table import Table

from anchor_client.service.optional import optional
from host_agent.detect.benchmark import MeasuredSpeeds
from host_agent.detect.gpu_probe import GpuFigures, Probed
from host_agent.detect.gpus import DetectedGpu, Gpus
from host_agent.detect.machine import Hardware
from market_cli.output import details


def document(gpus: Gpus, hardware: Hardware, figures: MeasuredSpeeds, probed: Probed) -> dict[str, Any]:
    """Hardware and figures as JSON."""
    measured = {figures.bus: figures.model_dump(exclude={"name", "bus"}) for figures in probed.gpus}
    return {
        "gpus": [
            {
                "id": gpu.model.slug,
                "name": gpu.name,
                "pci": str(gpu.pci),
                "bus": gpu.bus,
                "vram_gb": gpu.vram_gb or None,
                "pcie_width": gpu.pcie_width,
                "pcie_generation": gpu.pcie_generation,
                "driver": gpu.driver,
                "measured": measured.get(gpu.bus),
            }
            for gpu in gpus.all
        ],
        "gpus_left_out": [asdict(gpu) for gpu in gpus.left_out],
        "gpus_unmeasured": probed.reason,
        "cuda": gpus.cuda,
        "cpu": hardware.cpu,
        "cpu_cores": hardware.cpu_cores,
        "ram_gb": hardware.ram_gib,
        "disk": asdict(hardware.disk) | {"path": str(hardware.disk.path)},
        "link_mbps": hardware.link_mbps,
        "measured_mb_per_second": asdict(figures),
    }


def shown(gpus: Gpus, hardware: Hardware, figures: MeasuredSpeeds, probed: Probed, down_mbps: int | None) -> Table:
    """Hardware and figures as a table."""
    disk = hardware.disk
    measured = _by_bus(probed)
    lines = [(f"GPU {gpu.bus}", _about(gpu, measured.get(gpu.bus))) for gpu in gpus.all]
    lines += [("Not offered", str(gpu)) for gpu in gpus.left_out]
    if gpus.all and probed.reason is not None:
        lines.append(("GPUs, measured", f"not: {probed.reason}"))
    downloaded = []
    if down_mbps is not None:
        downloaded.append(("Downloaded with", f"{down_mbps} Mbit/s"))
    return details(
        *(lines or [("GPU", "no NVIDIA or AMD GPU")]),
        ("CUDA", gpus.cuda or "unknown"),
        ("CPU", f"{hardware.cpu_cores} x {hardware.cpu or 'unknown'}, {figures.hashing} MB/s of SHA-256"),
        ("RAM", f"{hardware.ram_gib} GB, {figures.memory_copy} MB/s copied"),
        ("Disk", f"{disk.free_gb} of {disk.size_gb} GB free at {disk.path}, {disk.kind or 'unknown kind'}"),
        ("Disk, written", _known(figures.disk_write, "MB/s")),
        ("Network interface", _known(hardware.link_mbps, "Mbit/s")),
        *downloaded,
    )


def _by_bus(probed: Probed) -> dict[str, GpuFigures]:
    return {figures.bus: figures for figures in probed.gpus}


def _about(gpu: DetectedGpu, figures: GpuFigures | None) -> str:
    link = None
    if gpu.pcie_generation and gpu.pcie_width:
        link = f"PCIe {gpu.pcie_generation}.0 x{gpu.pcie_width}"
    driver = optional("driver {}".format, gpu.driver)
    rates = None
    if figures is not None:
        rates = (
            f"{figures.fp32_tflops:.1f} TFLOPS of FP32, {figures.gemm_tflops:.1f} of GEMM, "
            f"{figures.memory_gb_per_second:.0f} GB/s of VRAM, {figures.pcie_gb_per_second:.1f} GB/s of PCIe"
        )
    named = f"{gpu.model.name} ({gpu.model.slug}), {_known(gpu.vram_gb or None, 'GB')}"
    return ", ".join(filter(None, (named, link, driver, rates)))


def _known(figure: int | None, unit: str) -> str:
    return "unknown" if figure is None else f"{figure} {unit}"
