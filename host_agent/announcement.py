"""Announces an agent to others on its machine: names in the kernel's list of sockets, which end with its process."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.service.lock_file import locked

SOCKETS: Final = Path("/proc/net/unix")
"""The sockets of this network; a name that begins with @ ends with its process, whoever's it is."""
LISTING: Final = "gpu-market-listing-"


@contextmanager
def announced(family: str, kind: str) -> Iterator[Sequence[str]]:
    """The kinds of all agents of a family that run on this machine, this one's too; a kind has no hyphen."""
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(f"\0{family}{kind}-{os.getpid()}-{id(own)}")
        # Read after the own name is there: of two that start at once, at least one sees the other.
        named = (line.rpartition(" @")[2] for line in SOCKETS.read_text("utf-8", "replace").splitlines())
        yield [name.removeprefix(family).partition("-")[0] for name in named if name.startswith(family)]


@contextmanager
def claimed(listing: Pubkey, state_dir: Path, busy: Exception) -> Iterator[None]:
    """Holds a listing for this process. Raises `busy` while another on this machine does, whatever its state directory
    and its engine.
    """
    with locked(lock_of(listing, state_dir), busy), socket.socket(socket.AF_UNIX) as own:
        try:
            own.bind(f"\0{LISTING}{listing}")
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise busy from None
        yield


def lock_of(listing: Pubkey, state_dir: Path) -> Path:
    """The file that shows that an agent with this state directory has served the listing. Its lock also holds where
    agents have networks of their own, in which such names are unknown to each other.
    """
    return state_dir / f"{listing}.lock"
