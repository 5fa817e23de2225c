"""Copies of files between this computer and a job's machine, over SFTP: recursive and resumable.

A file grows under a temporary name with its source's size and time, and gets its real name once it is complete. So the
next copy resumes an interrupted one, unless the source has changed.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import asyncssh

from market_cli.errors import BadOption, MachineLost

PIECE: Final = 4 * 2**20
"""Bytes between two reports of progress."""
PERMISSIONS: Final = 0o777

Report = Callable[[int], None]
"""Callback with the number of additional bytes."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or folder of a tree; `path` is relative to the tree, and empty for its root."""

    path: PurePosixPath
    is_folder: bool
    size: int
    mtime: int
    mode: int


@dataclass(frozen=True, slots=True)
class Copied:
    """Result of a copy."""

    files: int
    bytes: int
    unchanged: int
    """Skipped files, with the same size and time."""


def local_tree(source: Path) -> list[TreeEntry]:
    """A file, or a folder with its contents, folders first. Follows only links to files. BadOption."""
    if not source.exists():
        raise BadOption(f"{source} does not exist", "Name a file or a folder.")
    if not (source.is_file() or source.is_dir()):
        raise BadOption(f"{source} is neither a file nor a folder", "Save its content to a file, and copy that.")
    return list(_local(source, PurePosixPath()))


async def upload(
    sftp: asyncssh.SFTPClient, source: Path, tree: Iterable[TreeEntry], target: str, report: Report
) -> Copied:
    """Copies a path of this computer, its `local_tree`, to a path of the machine."""
    done = _Count()
    for entry in tree:
        there = str(PurePosixPath(target) / entry.path)
        if entry.is_folder:
            await sftp.makedirs(there, exist_ok=True)
        elif await _is_same(sftp, there, entry):
            done.unchanged += 1
            report(entry.size)
        else:
            await _send(sftp, source / entry.path, there, entry, report)
            done.files, done.bytes = done.files + 1, done.bytes + entry.size
    return done.copied()


async def download(
    sftp: asyncssh.SFTPClient, source: str, tree: Iterable[TreeEntry], target: Path, report: Report
) -> Copied:
    """Copies a path of the machine, its `remote_tree`, to a path of this computer."""
    done = _Count()
    for entry in tree:
        here = target / entry.path
        if entry.is_folder:
            here.mkdir(parents=True, exist_ok=True)
            continue
        here.parent.mkdir(parents=True, exist_ok=True)
        if here.is_file() and (here.stat().st_size, int(here.stat().st_mtime)) == (entry.size, entry.mtime):
            done.unchanged += 1
            report(entry.size)
        else:
            await _fetch(sftp, str(PurePosixPath(source) / entry.path), here, entry, report)
            done.files, done.bytes = done.files + 1, done.bytes + entry.size
    return done.copied()


async def remote_tree(sftp: asyncssh.SFTPClient, source: str) -> list[TreeEntry]:
    """A file of the machine, or a folder with its contents, folders first. BadOption if it is missing, and for names
    that would lead out of it.
    """
    return [entry async for entry in _remote(sftp, source)]


async def _remote(sftp: asyncssh.SFTPClient, source: str) -> AsyncIterator[TreeEntry]:
    try:
        attributes = await sftp.stat(source)
    except asyncssh.SFTPNoSuchFile as error:
        raise BadOption(f"The machine has no {source}", "Name a file or a folder.") from error
    waiting = [(PurePosixPath(), attributes)]
    while waiting:
        path, attributes = waiting.pop()
        mode = attributes.permissions or 0
        if stat.S_ISDIR(mode):
            yield TreeEntry(path, True, 0, 0, mode & PERMISSIONS)
            for found in await sftp.readdir(str(PurePosixPath(source) / path)):
                name = os.fsdecode(found.filename)
                if name in (".", ".."):
                    continue
                if "/" in name or "\0" in name or not name:
                    raise BadOption(
                        f"The machine names a file {name!r}", "It is not copied: it would lead out of the folder."
                    )
                if stat.S_ISREG(found.attrs.permissions or 0) or stat.S_ISDIR(found.attrs.permissions or 0):
                    waiting.append((path / name, found.attrs))
        elif stat.S_ISREG(mode):
            yield TreeEntry(path, False, attributes.size or 0, attributes.mtime or 0, mode & PERMISSIONS)


@dataclass(slots=True)
class _Count:
    files: int = 0
    bytes: int = 0
    unchanged: int = 0

    def copied(self) -> Copied:
        return Copied(self.files, self.bytes, self.unchanged)


def _local(source: Path, path: PurePosixPath) -> Iterator[TreeEntry]:
    here = source / path
    found = here.stat()
    if stat.S_ISDIR(found.st_mode):
        yield TreeEntry(path, True, 0, 0, found.st_mode & PERMISSIONS)
        for child in sorted(here.iterdir()):
            if child.is_file() or (child.is_dir() and not child.is_symlink()):
                yield from _local(source, path / child.name)
    else:
        yield TreeEntry(path, False, found.st_size, int(found.st_mtime), found.st_mode & PERMISSIONS)


async def _is_same(sftp: asyncssh.SFTPClient, there: str, entry: TreeEntry) -> bool:
    try:
        found = await sftp.stat(there)
    except asyncssh.SFTPNoSuchFile:
        return False
    return (found.size, found.mtime) == (entry.size, entry.mtime) and stat.S_ISREG(found.permissions or 0)


async def _send(sftp: asyncssh.SFTPClient, here: Path, there: str, entry: TreeEntry, report: Report) -> None:
    growing = str(PurePosixPath(there).parent / _growing(PurePosixPath(there).name, entry))
    try:
        at = min((await sftp.stat(growing)).size or 0, entry.size)
    except asyncssh.SFTPNoSuchFile:
        at = 0
    report(at)
    flags = asyncssh.FXF_WRITE | asyncssh.FXF_CREAT | (0 if at else asyncssh.FXF_TRUNC)
    with here.open("rb") as source:
        source.seek(at)
        async with sftp.open(growing, flags, encoding=None) as target:
            while data := await asyncio.to_thread(source.read, min(PIECE, entry.size - at)):
                await target.write(data, at)
                at += len(data)
                report(len(data))
    await sftp.setstat(growing, asyncssh.SFTPAttrs(permissions=entry.mode, atime=entry.mtime, mtime=entry.mtime))
    await sftp.posix_rename(growing, there)


async def _fetch(sftp: asyncssh.SFTPClient, there: str, here: Path, entry: TreeEntry, report: Report) -> None:
    growing = here.with_name(_growing(here.name, entry))
    with growing.open("ab") as target:
        at = target.tell()
        report(at)
        async with sftp.open(there, asyncssh.FXF_READ, encoding=None) as source:
            while at < entry.size and (data := await source.read(min(PIECE, entry.size - at), at)):
                assert isinstance(data, bytes)
                await asyncio.to_thread(target.write, data)
                at += len(data)
                report(len(data))
    growing.chmod(entry.mode)
    os.utime(growing, (entry.mtime, entry.mtime))
    growing.replace(here)


def _growing(name: str, entry: TreeEntry) -> str:
    """The temporary name for a copy of exactly this content."""
    return f".{name[:100]}.{entry.size:x}-{entry.mtime:x}.part"


@contextmanager
def refusals() -> Iterator[None]:
    """Raises BadOption if the machine refuses, and MachineLost if it ends the copy."""
    try:
        yield
    except asyncssh.SFTPConnectionLost as error:
        raise MachineLost(f"The machine has ended the copy: {error.reason}") from error
    except asyncssh.SFTPError as error:
        raise BadOption(f"The machine refuses: {error.reason}", "Use another path, or free space there.") from error
