"""Copies of Rust sources in the user's cache, at the same place for every checkout.

Cargo builds all of a crate's dependencies again where the path of the sources is another: it is among the compiler's
options, so that it is not in the binary.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def copied(files: Iterable[Path], root: Path, copy: Path) -> Iterator[None]:
    """Makes `copy` hold these files of `root` alone; keeps other processes from changing it meanwhile.

    A file that is the same keeps its time, by which Cargo knows what to build.
    """
    copy.mkdir(parents=True, exist_ok=True)
    with copy.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = {copy / file.relative_to(root): file for file in files}
        for target in set(filter(Path.is_file, copy.rglob("*"))) - wanted.keys():
            target.unlink()
        for target, file in wanted.items():
            if not target.exists() or target.read_bytes() != file.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        yield
