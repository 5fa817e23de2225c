"""Workspaces kept by a host between rentals, encrypted so that only renters' keys open them.

The machine seals one to a public key when its rental ends; the secret key comes with the order of a later rental. The
key is specific to a wallet and the name, so it also proves ownership.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import structlog

from host_agent.disk.sealed_archive import seal_archive
from host_agent.errors import WorkspaceTooBig
from host_agent.pace import DAY

DIRECTORY: Final = "workspaces"
SUFFIX: Final = ".sealed"
UNFINISHED: Final = ".part"

log = structlog.get_logger(__name__)


class KeptWorkspaces:
    """Sealed workspaces in a directory of the agent's state: one file each, kept until its modification time, with
    `most_bytes` in total.
    """

    def __init__(self, state_dir: Path, most_bytes: int) -> None:
        self.directory = state_dir / DIRECTORY
        self._most_bytes = most_bytes

    def find(self, name: str, public_key: bytes) -> Path | None:
        """The workspace with that name, sealed to a key."""
        self.drop_expired()
        path = self._path(name, public_key)
        return path if path.exists() else None

    async def put(
        self, name: str, public_key: bytes, data: AsyncIterator[bytes], most_bytes: int | None, days: int
    ) -> int:
        """Seals a stream and replaces an earlier one atomically, to be kept for `days`; returns its bytes on the disk.
        WorkspaceTooBig above `most_bytes` or the free space; OSError if the disk fails.
        """
        self.drop_expired()
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(name, public_key)
        room = self._room(path)
        most = room if most_bytes is None else min(room, most_bytes)
        with _replacing(path) as file:
            await seal_archive(file, _limited(data, most), public_key)
            file.flush()
            until = time.time() + days * DAY
            os.utime(file.fileno(), (until, until))
            return file.tell()

    def drop_expired(self) -> None:
        """Wipes expired workspaces, and unfinished files of a run that was killed a day ago."""
        for path, until in [(path, path.stat().st_mtime) for path in self.directory.glob("*")]:
            if time.time() > until + (DAY if path.suffix == UNFINISHED else 0):
                path.unlink(missing_ok=True)
                log.info("workspace_expired", workspace=path.name.partition(".")[0])

    def _room(self, path: Path) -> int:
        others = sum(file.stat().st_size for file in self.directory.glob("*") if file != path)
        return max(0, min(self._most_bytes - others, shutil.disk_usage(self.directory).free))

    def _path(self, name: str, public_key: bytes) -> Path:
        return self.directory / f"{name}.{public_key.hex()}{SUFFIX}"


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces another once it is completely written."""
    unfinished = path.with_suffix(f".{secrets.token_hex(8)}{UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


async def _limited(data: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    came = 0
    async for piece in data:
        came += len(piece)
        if came > most:
            raise WorkspaceTooBig(f"The workspace exceeds the limit of {most} bytes")
        yield piece
