"""Machine that the benchmarks ran on, without anything that names it or its directories."""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from local_market.program import PROGRAM_PATH

PACKAGES = ("solders", "solana", "sqlalchemy", "fastapi", "uvicorn", "httpx")
LOOPS = 5
CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class BenchmarkMachine:
    """Processor, memory in bytes, versions, and the program's build."""

    cpu: str
    cores: int
    memory: int
    system: str
    versions: dict[str, str]
    program_sha256: str
    loop_ms: float
    """Processor time of a fixed loop, the best of LOOPS: by it figures of two machines can be compared."""

    @classmethod
    def here(cls) -> BenchmarkMachine:
        """The machine this runs on."""
        versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
        return cls(
            cpu=_cpu(),
            cores=os.cpu_count() or 1,
            memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            system=f"{platform.system()} {platform.machine()}",
            versions=versions | {package: version(package) for package in PACKAGES},
            loop_ms=_loop_ms(),
            program_sha256=hashlib.sha256(PROGRAM_PATH.read_bytes()).hexdigest(),
        )


def _loop_ms() -> float:
    """A million turns of arithmetic on small integers, which take no memory and ask nobody."""
    taken = []
    for _ in range(LOOPS):
        began = time.process_time()
        total = 0
        for number in range(1_000_000):
            total = (total + number * number) % 1_000_003
        taken.append((time.process_time() - began) * 1_000)
    return round(min(taken), 2)


def _cpu() -> str:
    """The processor's name where the kernel says it."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or "unknown"
