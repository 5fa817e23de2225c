"""Announces an agent to others on its machine: a name in the kernel's list of sockets, which ends with its process."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SOCKETS: Final = Path("/proc/net/unix")
"""The sockets of this network; a name that begins with @ ends with its process, whoever's it is."""


@contextmanager
def announced(family: str, kind: str) -> Iterator[Sequence[str]]:
    """The kinds of all agents of a family that run on this machine, this one's too; a kind has no hyphen."""
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0{family}{kind}-{os.getpid()}-{id(own)}")
        # Read after the own name is there: of two that start at once, at least one sees the other.
        named = (line.rpartition(" @")[2] for line in SOCKETS.read_text("utf-8", "replace").splitlines())
        yield [name.removeprefix(family).partition("-")[0] for name in named if name.startswith(family)]
