"""Workspaces that renters have a host keep between their rentals: on its disk there is only what their keys open.

The machine seals one to a public key when its rental ends; the secret one comes in the order of a later rental. The key
is a wallet's own for that name, so whose a workspace is need not be asked.
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

from host_agent.errors import WorkspaceTooBig
from host_agent.pace import DAY
from host_agent.sealed_archive import seal_archive

DIRECTORY: Final = "workspaces"
SUFFIX: Final = ".sealed"
UNFINISHED: Final = ".part"

log = structlog.get_logger(__name__)


class KeptWorkspaces:
    """Sealed workspaces in a directory of the agent's state, a file each that is kept until its modification time, and
    `most_bytes` in all.
    """

    def __init__(self, state_dir: Path, most_bytes: int) -> None:
        self.directory = state_dir / DIRECTORY
        self._most_bytes = most_bytes

    def find(self, name: str, public_key: bytes) -> Path | None:
        """The workspace of that name that was sealed to a key."""
        self.drop_expired()
        path = self._path(name, public_key)
        return path if path.exists() else None

    async def put(
        self, name: str, public_key: bytes, data: AsyncIterator[bytes], most_bytes: int | None, days: int
    ) -> int:
        """Seals what comes in place of an earlier one, whole or not at all, to be kept for so many days; returns its
        bytes on the disk.

        WorkspaceTooBig for more than `most_bytes` or than there is room for; OSError where the disk does not take it.
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
        """Wipes what has been kept for long enough, and what a run that was killed a day ago had not finished."""
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
    """A file that takes the place of another once it has been written to its end."""
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
            raise WorkspaceTooBig(f"The workspace has more than the {most} bytes that may be kept of it")
        yield piece
