"""Keeps other processes away from a directory or a name."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path, busy: Exception) -> Iterator[None]:
    """Holds a lock file for this process alone. Raises `busy` while another holds it, OSError if it cannot be made."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            # Ends with the process, however that ends: a file that says who holds it would outlive a crash.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        yield
