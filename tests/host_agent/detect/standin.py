"""A stand-in for a machine's GPUs: the library of NVIDIA's driver, made of the probe's own code."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from host_agent.detect import probe
from tests.host_agent.detect.ptx import Kernel

SMALL: Final = {"SIZE": "256", "ROUNDS": "8", "COPIED": "1 << 20"}
"""Sizes of the probe's measurements when a processor does them."""


def small_probe(folder: Path) -> Path:
    """The probe with sizes that a processor is done with at once, in a file."""
    lines = Path(probe.__file__).read_text().splitlines()
    named = {line.partition(" = ")[0]: place for place, line in enumerate(lines)}
    for name, size in SMALL.items():
        lines[named[name]] = f"{name} = {size}"
    path = folder / "small_probe.py"
    path.write_text("\n".join(lines) + "\n")
    return path


def make_library(folder: Path) -> Path:
    """Compiles it. Its environment says how many STANDIN_GPUS there are, STANDIN_MILLISECONDS of each measurement, the
    most STANDIN_BYTES at once, and the kernel whose results are STANDIN_WRONG."""
    kernels = [probe.chain_code(), probe.gemm_code()]
    words = "".join(f'"{line}\\n"\n' for line in (probe.HEADER + "".join(kernels)).splitlines())
    source = Path(__file__).with_name("standin_cuda.c").read_text()
    translated = "\n".join(Kernel(each, probe.THREADS).in_c() for each in kernels)
    made, library = folder / "standin.c", folder / "libcuda.so.1"
    made.write_text(f"static const char PTX[] = {words};\n{source.replace('/* KERNELS */', translated)}")
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(made), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library
