"""Copies of files between this computer and a job's machine, over SFTP: recursive and resumable. A file that cannot be
copied is left out and reported, and the rest is copied.

A file grows under a temporary name with its source's size and time, and gets its real name once it is complete. So the
next copy resumes an interrupted one, unless the source has changed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Final

import asyncssh

from market_cli.errors import BadOption, MachineLost

PIECE: Final = 4 * 2**20
"""Bytes between two reports of progress."""
PERMISSIONS: Final = 0o777
LAST_TIME: Final = 2**32 - 1
"""SFTP's latest time; its earliest is 1970."""
TEMPORARY_BYTES: Final = 100
"""Bytes of a file's name in its temporary one."""
LINKS_TO_NOTHING: Final = frozenset({errno.ENOENT, errno.ELOOP})
"""Of a link, or of a file that has just been removed."""
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
SHRUNK: Final = "it became shorter while it was copied"

MOST_ENTRIES: Final = 2_000_000
"""Files and folders of one copy."""
DEEPEST: Final = 200
"""Folders within one another."""

Report = Callable[[int], None]
"""Callback with the number of additional bytes."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or folder of a tree; `path` is relative to the tree, and empty for its root."""

    path: PurePosixPath
    is_folder: bool
    size: int
    mtime: int
    """Modification time, as near as SFTP can say it."""
    mode: int
    refused: str | None = None
    """Reason why it cannot be read."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that was not copied, or a folder with all that it contains."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Copied:
    """Result of a copy."""

    files: int
    bytes: int
    unchanged: int
    """Skipped files, with the same size and time."""
    left_out: tuple[LeftOut, ...] = ()


def files_of(ssh: asyncssh.SSHClientConnection) -> AbstractAsyncContextManager[asyncssh.SFTPClient]:
    """The files of a machine, with names in any encoding."""
    return ssh.start_sftp_client(path_errors="surrogateescape")


def local_tree(source: Path) -> list[TreeEntry]:
    """A file, or a folder with its contents, folders first. Follows only links to files. BadOption."""
    if not source.exists():
        raise BadOption(f"{source} does not exist", "Name a file or a folder.")
    if not (source.is_file() or source.is_dir()):
        raise BadOption(f"{source} is neither a file nor a folder", "Save its content to a file, and copy that.")
    return list(_local(source))


async def upload(
    sftp: asyncssh.SFTPClient, source: Path, tree: Iterable[TreeEntry], target: str, report: Report
) -> Copied:
    """Copies a path of this computer, its `local_tree`, to a path of the machine."""
    done = _Count()
    for entry in tree:
        there = str(PurePosixPath(target) / entry.path)
        with done.leaving_out(entry) as is_wanted:
            if not is_wanted:
                continue
            if entry.is_folder:
                await sftp.makedirs(there, exist_ok=True)
            elif await _is_same(sftp, there, entry):
                done.is_there(entry, report)
            else:
                await _send(sftp, source / entry.path, there, entry, report)
                done.is_copied(entry)
    return done.copied()


async def download(
    sftp: asyncssh.SFTPClient, source: str, tree: Iterable[TreeEntry], target: Path, report: Report
) -> Copied:
    """Copies a path of the machine, its `remote_tree`, to a path of this computer."""
    done = _Count()
    for entry in tree:
        here = target / entry.path
        with done.leaving_out(entry) as is_wanted:
            if not is_wanted:
                continue
            if entry.is_folder:
                here.mkdir(parents=True, exist_ok=True)
                continue
            here.parent.mkdir(parents=True, exist_ok=True)
            if here.is_file() and (here.stat().st_size, _time(here.stat().st_mtime)) == (entry.size, entry.mtime):
                done.is_there(entry, report)
            else:
                await _fetch(sftp, str(PurePosixPath(source) / entry.path), here, entry, report)
                done.is_copied(entry)
    return done.copied()


async def remote_tree(sftp: asyncssh.SFTPClient, source: str) -> list[TreeEntry]:
    """A file of the machine, or a folder with its contents, folders first. BadOption if it is missing."""
    return [entry async for entry in _remote(sftp, source)]


async def name_of(sftp: asyncssh.SFTPClient, source: str) -> str:
    """The name of a path of the machine, for a copy of it. BadOption for one that leads out of the copy's folder."""
    path = PurePosixPath(os.fsdecode(await sftp.realpath(source)))
    # The host may be malicious, as in _remote.
    if path.name == ".." or "\0" in path.name:
        raise BadOption(
            f"The machine calls {source} {str(path)!r}, which is not a safe place for a copy", "Name a new folder."
        )
    return path.name


async def _remote(sftp: asyncssh.SFTPClient, source: str) -> AsyncIterator[TreeEntry]:
    try:
        attributes = await sftp.stat(source)
    except asyncssh.SFTPNoSuchFile as error:
        raise BadOption(f"The machine has no {source}", "Name a file or a folder.") from error
    waiting = [(PurePosixPath(), attributes)]
    seen = 0
    while waiting:
        path, attributes = waiting.pop()
        seen += 1
        # A malicious host could name folders without end, until this computer has no memory.
        if seen + len(waiting) > MOST_ENTRIES or len(path.parts) > DEEPEST:
            raise _too_many(source)
        mode = attributes.permissions or 0
        if stat.S_ISDIR(mode):
            folder = TreeEntry(path, True, 0, 0, mode & PERMISSIONS)
            try:
                contents: Sequence[asyncssh.SFTPName] = await _contents(sftp, str(PurePosixPath(source) / path))
            except asyncssh.SFTPConnectionLost:
                raise
            except asyncssh.SFTPError as error:
                if path == PurePosixPath():
                    raise
                contents = ()
                folder = replace(folder, refused=error.reason)
            yield folder
            for found in contents:
                name = os.fsdecode(found.filename)
                if name in (".", ".."):
                    continue
                # The host may be malicious: a name such as ../.ssh/authorized_keys would be written outside the folder.
                if "/" in name or "\0" in name or not name:
                    yield TreeEntry(path, False, 0, 0, 0, f"it has a file {name!r}, which would lead out of it")
                elif stat.S_ISREG(found.attrs.permissions or 0) or stat.S_ISDIR(found.attrs.permissions or 0):
                    waiting.append((path / name, found.attrs))
        elif stat.S_ISREG(mode):
            yield TreeEntry(path, False, attributes.size or 0, _time(attributes.mtime or 0), mode & PERMISSIONS)


async def _contents(sftp: asyncssh.SFTPClient, folder: str) -> list[asyncssh.SFTPName]:
    found = []
    async for each in sftp.scandir(folder):
        found.append(each)
        if len(found) > MOST_ENTRIES:
            raise _too_many(folder)
    return found


def _too_many(folder: str) -> BadOption:
    return BadOption(
        f"{folder} has more than {MOST_ENTRIES:,} files, or folders more than {DEEPEST} deep",
        "Pack them into one file there, and copy that.",
    )


@dataclass(slots=True)
class _Count:
    files: int = 0
    bytes: int = 0
    unchanged: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    folders: set[PurePosixPath] = field(default_factory=set)
    """Folders that are left out."""

    def is_copied(self, entry: TreeEntry) -> None:
        self.files = self.files + 1
        self.bytes = self.bytes + entry.size

    def is_there(self, entry: TreeEntry, report: Report) -> None:
        self.unchanged += 1
        report(entry.size)

    @contextmanager
    def leaving_out(self, entry: TreeEntry) -> Iterator[bool]:
        """True if the entry is to be copied; then leaves it out if that fails, unless all others would fail as well."""
        if not self.folders.isdisjoint(entry.path.parents):
            yield False
            return
        if entry.refused is not None:
            self._leave_out(entry, entry.refused)
            yield False
            return
        try:
            yield True
        except (asyncssh.SFTPError, OSError) as error:
            if _ends_all(error) or entry.path == PurePosixPath():
                raise
            if isinstance(error, asyncssh.SFTPError):
                reason = error.reason
            else:
                reason = error.strerror or str(error)
            self._leave_out(entry, reason)

    def _leave_out(self, entry: TreeEntry, reason: str) -> None:
        self.left_out.append(LeftOut(shown(entry.path), reason))
        if entry.is_folder:
            self.folders.add(entry.path)

    def copied(self) -> Copied:
        return Copied(self.files, self.bytes, self.unchanged, tuple(self.left_out))


def _ends_all(error: asyncssh.SFTPError | OSError) -> bool:
    """True if the rest of a copy would fail as well."""
    if isinstance(error, OSError):
        return isinstance(error, ConnectionError | TimeoutError) or error.errno in FULL
    return isinstance(error, asyncssh.SFTPConnectionLost) or "No space left" in error.reason


def shown(path: PurePosixPath) -> str:
    """A path for people: bytes that are no UTF-8 as \\x.."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _local(source: Path) -> Iterator[TreeEntry]:
    waiting = [PurePosixPath()]
    while waiting:
        path = waiting.pop()
        try:
            found = (source / path).stat()
        except OSError as error:
            if path == PurePosixPath():
                raise
            if error.errno not in LINKS_TO_NOTHING:
                yield TreeEntry(path, False, 0, 0, 0, error.strerror)
            continue
        if stat.S_ISREG(found.st_mode):
            yield TreeEntry(path, False, found.st_size, _time(found.st_mtime), found.st_mode & PERMISSIONS)
        elif stat.S_ISDIR(found.st_mode) and (path == PurePosixPath() or not (source / path).is_symlink()):
            folder = TreeEntry(path, True, 0, 0, found.st_mode & PERMISSIONS)
            try:
                children = sorted(os.listdir(source / path), reverse=True)
            except OSError as error:
                if path == PurePosixPath():
                    raise
                children = []
                folder = replace(folder, refused=error.strerror)
            yield folder
            waiting += (path / name for name in children)


def _time(seconds: float) -> int:
    """A time as SFTP can say it."""
    return min(max(0, int(seconds)), LAST_TIME)


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
    if at < entry.size:
        await sftp.remove(growing)
        raise OSError(errno.EIO, SHRUNK)
    await sftp.setstat(growing, asyncssh.SFTPAttrs(permissions=entry.mode, atime=entry.mtime, mtime=entry.mtime))
    try:
        # SFTP's own rename refuses to replace a file.
        await sftp.posix_rename(growing, there)
    except asyncssh.SFTPFailure:
        await sftp.remove(growing)
        raise


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
    if at < entry.size:
        growing.unlink()
        raise OSError(errno.EIO, SHRUNK)
    growing.chmod(entry.mode)
    os.utime(growing, (entry.mtime, entry.mtime))
    try:
        growing.replace(here)
    except OSError:
        growing.unlink()
        raise


def _growing(name: str, entry: TreeEntry) -> str:
    """The temporary name for a copy of exactly this content; it always fits."""
    raw = os.fsencode(name)
    short = raw[:TEMPORARY_BYTES].decode("utf-8", "ignore")
    if short != name:
        short += f"-{blake2b(raw, digest_size=8).hexdigest()}"
    return f".{short}.{entry.size:x}-{entry.mtime:x}.part"


@contextmanager
def refusals() -> Iterator[None]:
    """Raises BadOption if the machine refuses, and MachineLost if it ends the copy."""
    try:
        yield
    except asyncssh.SFTPConnectionLost as error:
        raise MachineLost(f"The machine has ended the copy: {error.reason}") from error
    except asyncssh.SFTPError as error:
        raise BadOption(f"The machine refuses: {error.reason}", "Use another path, or free space there.") from error
