"""Inodes of containers: as many files as a disk of the ordered size would have, however small they are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

DEEPEST: Final = 128
"""Levels of folders that are counted, each with a descriptor."""


def inode_allowance(roots: Iterable[Path], disk_bytes: int) -> int | None:
    """Inodes of `disk_bytes` of the disks with the engine's data; None if they have no fixed number of them."""
    least: int | None = None
    for root in roots:
        try:
            found = os.statvfs(root)
        except OSError:
            continue
        if found.f_files:
            share = found.f_files * disk_bytes // max(found.f_blocks * found.f_frsize, 1)
            least = share if least is None else min(least, share)
    return least


def free_inodes(roots: Iterable[Path]) -> int | None:
    """Free inodes of the engine's disks together; None if they are not visible, or not limited."""
    free: dict[int, int] = {}
    for root in roots:
        try:
            found = os.statvfs(root)
            if found.f_files:
                free[os.stat(root).st_dev] = found.f_ffree
        except OSError:
            continue
    return sum(free.values()) if free else None


def count_inodes(roots: Sequence[Path], most: int) -> int:
    """Files and folders below some folders; stops soon after `most`. Unreadable folders count as empty, and those
    nested deeper than DEEPEST as too many.
    """
    count = 0
    for root in roots:
        with suppress(OSError), _opened(str(root)) as folder:
            count += _count_below(folder, most - count, DEEPEST)
    return count


def _count_below(folder: int, most: int, depth: int) -> int:
    count = 0
    inner = []
    with os.scandir(folder) as entries:
        for entry in entries:
            count += 1
            if count > most:
                return count
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.name)
    for name in inner:
        if depth == 0:
            return most + 1
        with suppress(OSError), _opened(name, folder) as below:
            count += _count_below(below, most - count, depth - 1)
        if count > most:
            break
    return count


@contextmanager
def _opened(name: str, folder: int | None = None) -> Iterator[int]:
    """A folder by its descriptor: whatever a tenant puts in its place meanwhile leads nowhere else."""
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
