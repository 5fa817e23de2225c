"""The probe's measurements on a stand-in for the driver, which runs its code; no GPU is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host_agent.detect import probe
from host_agent.detect.gpu_probe import Probed, probe_gpus, probe_text, read_figures
from tests.host_agent.detect.standin import make_library, small_probe

UV = os.environ.get("UV", "uv")
ARCHITECTURES = {"nvidia-cuda-nvcc-cu12==12.9.86": (50, 75, 80, 90), "nvidia-cuda-nvcc==13.5.37": (75, 80, 90, 120)}
"""Compute capabilities that the assembler of CUDA 12 and the one of CUDA 13 know."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("cc is not on PATH")
    made = tmp_path_factory.mktemp("driver")
    make_library(made)
    small_probe(made)
    return made


def run(folder: Path, **environment: str) -> Probed:
    """Figures that the small probe finds on the stand-in."""
    library = {"LD_LIBRARY_PATH": str(folder)}
    command = [sys.executable, "-I", str(folder / "small_probe.py")]
    done = subprocess.run(command, env=library | environment, capture_output=True, text=True, check=True)
    return read_figures(done.stdout)


def test_probe__two_gpus__each_has_its_figures(folder: Path) -> None:
    first, second = run(folder, STANDIN_GPUS="2", STANDIN_MILLISECONDS="2").gpus
    assert (first.name, first.bus) == ("NVIDIA Stand-in 0", "0000:0a:00.0")
    assert (second.name, second.bus) == ("NVIDIA Stand-in 1", "0000:0b:00.0")
    threads = 2 * probe.BLOCKS_OF_MULTIPROCESSOR * probe.THREADS
    assert first.fp32_tflops == round(2 * probe.CHAINS * probe.LINKS * 8 * threads / 2e-3 / 1e12, 3)
    assert first.gemm_tflops == round(2 * 256**3 / 2e-3 / 1e12, 3)
    assert (first.memory_gb_per_second, first.pcie_gb_per_second) == (1.0, 0.5)


@pytest.mark.parametrize("wrong", ["chain", "gemm"])
def test_probe__wrong_result__is_no_figure(folder: Path, wrong: str) -> None:
    found = run(folder, STANDIN_WRONG=wrong)
    assert not found.gpus and found.reason is not None and "wrong result" in found.reason


@pytest.mark.parametrize(
    ("environment", "reason"), [({"STANDIN_GPUS": "0"}, "cuInit gives 100"), ({"STANDIN_BYTES": "9"}, "cuMemAlloc_v2")]
)
def test_probe__driver_refuses__says_what(folder: Path, environment: dict[str, str], reason: str) -> None:
    found = run(folder, **environment)
    assert not found.gpus and found.reason is not None and reason in found.reason


async def test_probe_gpus__driver_is_broken__says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    found = await probe_gpus()
    assert not found.gpus and found.reason is not None and "libcuda.so.1: file too short" in found.reason


@pytest.mark.parametrize("printed", ["", "Killed\n", '{"gpus": [{"name": "x"}]}'])
def test_read_figures__no_figures__is_a_reason(printed: str) -> None:
    assert read_figures(printed).reason is not None


def test_probe_text__is_the_program(folder: Path) -> None:
    assert "def main()" in probe_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("package", ARCHITECTURES)
def test_code__nvidias_assembler__takes_it(package: str, tmp_path: Path) -> None:
    code = tmp_path / "probe.ptx"
    code.write_text(probe.HEADER + probe.chain_code() + probe.gemm_code())
    subprocess.run([UV, "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), package], check=True)
    (assembler,) = tmp_path.rglob("bin/ptxas")
    assembler.chmod(0o755)
    for architecture in ARCHITECTURES[package]:
        command = [str(assembler), "-v", f"-arch=sm_{architecture}", "-o", str(tmp_path / "out"), str(code)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "0 bytes spill stores" in done.stderr, done.stderr
