"""Files without a name that a container's processes keep open or mapped: they take disk, and no measurement by name
finds them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
UNLINKED: Final = " (deleted)"
"""End of a descriptor's name once its file has none."""
HELD: Final = ("fd", "map_files")
"""Folders of a process with what it has open, and what it has mapped."""
IN_MEMORY: Final = ("tmpfs", "ramfs", "hugetlbfs", "mqueue", "devpts")
"""File systems that take memory instead of disk."""
BLOCK: Final = 512
"""Unit of st_blocks."""

Device = int


def unlinked_bytes(container: str, proc: Path = PROC, apart: Collection[Device] = ()) -> int:
    """Allocated bytes of the files without a name that processes of a container hold, each file once, except on the
    devices `apart`.

    What this process may not see counts as nothing: other users' files need CAP_SYS_PTRACE.
    """
    memory = _anonymous_memory()
    found: dict[tuple[Device, int], int] = {}
    for process in _processes(container, proc):
        in_memory: set[Device] | None = None
        for file in _unlinked(process):
            if in_memory is None:
                in_memory = {memory, *apart, *_in_memory(process)}
            if file.st_dev not in in_memory:
                found[file.st_dev, file.st_ino] = file.st_blocks * BLOCK
    return sum(found.values())


def sees_all_processes(proc: Path = PROC) -> bool:
    """True if this process may look at the files of others'."""
    try:
        os.listdir(proc / "1" / "fd")
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def _processes(container: str, proc: Path) -> Iterator[Path]:
    """Processes in a container's control group or below, whatever started them."""
    for entry in os.scandir(proc):
        if entry.name.isdigit():
            with suppress(OSError):
                if container in (proc / entry.name / "cgroup").read_text():
                    yield proc / entry.name


def _unlinked(process: Path) -> Iterator[os.stat_result]:
    for folder in HELD:
        with suppress(OSError):
            for entry in os.scandir(process / folder):
                # A process ends, or closes a file, while it is looked at.
                with suppress(OSError):
                    if os.readlink(entry.path).endswith(UNLINKED):
                        file = os.stat(entry.path)
                        if file.st_nlink == 0 and stat.S_ISREG(file.st_mode):
                            yield file


def _in_memory(process: Path) -> Iterator[Device]:
    """Devices of a process's file systems in memory."""
    with suppress(OSError):
        for line in (process / "mountinfo").read_text(errors="surrogateescape").splitlines():
            mounted, _, kind = line.partition(" - ")
            if kind.partition(" ")[0] in IN_MEMORY:
                major, _, minor = mounted.split()[2].partition(":")
                yield os.makedev(int(major), int(minor))


def _anonymous_memory() -> Device:
    """The device of memory files and shared anonymous memory, which no process has mounted."""
    descriptor = os.memfd_create("device")
    try:
        return os.fstat(descriptor).st_dev
    finally:
        os.close(descriptor)
