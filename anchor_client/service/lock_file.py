"""Keeps other processes away from a directory or a name."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path


@contextmanager
def locked(path: Path, busy: Exception) -> Iterator[None]:
    """Holds a lock file for this process alone. Raises `busy` while another holds it, OSError if it cannot be made."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whoever may read the file could hold its lock.
    with open(path, "w", opener=partial(os.open, mode=0o600)) as lock:
        try:
            # Ends with the process, however that ends: a file that says who holds it would outlive a crash.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise busy from None
        yield
