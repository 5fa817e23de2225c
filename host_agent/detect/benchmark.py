"""Measures a machine's disk, memory, processor and line for a few seconds."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final
from urllib.request import urlopen

BLOCK_BYTES: Final = 8 * 2**20
MEMORY_BYTES: Final = 64 * 2**20
"""Larger than processor caches."""
MOST_BLOCKS: Final = 128
SECONDS: Final = 2.0
"""Maximum time of each part."""
DOWNLOAD_SECONDS: Final = 10.0
LEAST_FREE_BYTES: Final = 4 * 2**30
"""Minimum free space for writing to the disk."""
MB: Final = 10**6


@dataclass(frozen=True, slots=True)
class MeasuredSpeeds:
    """Measured speeds in MB/s; None where nothing was measured."""

    disk_write: int | None
    """Written in sequence and flushed to the disk."""
    memory_copy: int
    """Read and written by one thread."""
    hashing: int
    """SHA-256 on all cores together."""


def measure(path: Path, seconds: float = SECONDS) -> MeasuredSpeeds:
    """Measures the disk under `path`, memory and processor, each for at most `seconds`. Raises OSError of the disk."""
    return MeasuredSpeeds(disk_write(path, seconds), _memory_copy(seconds), _hashing(seconds))


def download_mbps(url: str, seconds: float = DOWNLOAD_SECONDS) -> int:
    """Download speed of a URL in Mbit/s, over at most `seconds`. Raises OSError if no data arrives."""
    with urlopen(url, timeout=seconds) as answer:
        begun = time.monotonic()
        got = 0
        while time.monotonic() - begun < seconds and (part := answer.read1(BLOCK_BYTES)):
            got += len(part)
        return max(round(got * 8 / max(time.monotonic() - begun, 1e-3) / MB), 1)


def disk_write(path: Path, seconds: float = SECONDS) -> int | None:
    """Speed of the disk under `path` in MB/s, over at most `seconds`; None if it has little space. Raises OSError."""
    if os.statvfs(path).f_bavail * os.statvfs(path).f_frsize < LEAST_FREE_BYTES:
        return None
    block = os.urandom(BLOCK_BYTES)
    with TemporaryFile(dir=path, buffering=0) as file:
        begun = time.monotonic()
        written = 0
        while written == 0 or (written < MOST_BLOCKS * BLOCK_BYTES and time.monotonic() - begun < seconds):
            written += file.write(block)
        os.fsync(file.fileno())
        return _rate(written, begun)


def _memory_copy(seconds: float) -> int:
    source = memoryview(bytes(MEMORY_BYTES))
    target = bytearray(MEMORY_BYTES)
    begun = time.monotonic()
    copied = 0
    while copied == 0 or (copied < MOST_BLOCKS * MEMORY_BYTES and time.monotonic() - begun < seconds):
        target[:] = source
        copied += MEMORY_BYTES
    return _rate(copied, begun)


def _hashing(seconds: float) -> int:
    cores = os.cpu_count() or 1
    block = os.urandom(BLOCK_BYTES)
    begun = time.monotonic()

    def work(_: int) -> int:
        hashed = 0
        while time.monotonic() - begun < seconds:
            sha256(block)  # lets other threads run meanwhile
            hashed += BLOCK_BYTES
        return hashed

    with ThreadPoolExecutor(cores) as pool:
        return _rate(sum(pool.map(work, range(cores))), begun)


def _rate(done: int, begun: float) -> int:
    return max(round(done / max(time.monotonic() - begun, 1e-9) / MB), 1)
