"""File systems of a test's own, each in a file, for engines that keep their data there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MAKE = {"ext4": ("mkfs.ext4", "-q", "-m", "0"), "btrfs": ("mkfs.btrfs", "-q"), "xfs": ("mkfs.xfs", "-q")}
OPTIONS = {"ext4": "loop", "btrfs": "loop", "xfs": "loop,pquota"}
"""Mount options of each; XFS limits directories."""


@contextmanager
def mounted(kind: str, folder: Path, size: int) -> Iterator[Path]:
    """An empty file system of that size. Skips the test where this machine cannot make or mount one."""
    make = MAKE[kind]
    if shutil.which(make[0]) is None:
        pytest.skip(f"{make[0]} is not installed")
    image, place = folder / f"{kind}.img", folder / kind
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([*make, image], check=True, capture_output=True)
    place.mkdir()
    tried = subprocess.run(
        ["mount", "-t", kind, "-o", OPTIONS[kind], image, place], capture_output=True, text=True, check=False
    )
    if tried.returncode:
        pytest.skip(f"this machine cannot mount {kind} with {OPTIONS[kind]}: {tried.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)
        image.unlink()
