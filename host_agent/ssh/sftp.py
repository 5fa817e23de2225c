"""SFTP, and scp over it, on the files of a container."""

from __future__ import annotations

import errno
import os
import posixpath
import stat
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import asyncssh
from asyncssh import constants as sftp

from host_agent.errors import MachineFault
from host_agent.ssh.file_shell import FileShell
from host_agent.ssh.inside import Inside

BLOCK: Final = 2**20
"""Bytes that are read ahead, and gathered before they are written."""
MOST_OPEN: Final = 64
"""Files that a client may have open at a time."""
ALL: Final = 2**62
LETTERS: Final = ((sftp.FXF_READ, "r"), (sftp.FXF_WRITE, "w"), (sftp.FXF_CREAT, "c"), (sftp.FXF_TRUNC, "t"))
KINDS: Final = {
    stat.S_IFREG: asyncssh.FILEXFER_TYPE_REGULAR,
    stat.S_IFDIR: asyncssh.FILEXFER_TYPE_DIRECTORY,
    stat.S_IFLNK: asyncssh.FILEXFER_TYPE_SYMLINK,
}
NEW_ALONE: Final = sftp.FXF_CREAT | sftp.FXF_EXCL


@dataclass(slots=True, eq=False)
class OpenFile:
    """A client's open file, identified by its path: a rename loses it."""

    path: bytes
    appends: bool
    read_at: int = 0
    ahead: bytes = b""
    """Bytes that have been read from `read_at` on."""
    write_at: int = 0
    gathered: bytearray = field(default_factory=bytearray)
    """Bytes to be written from `write_at` on."""
    failure: asyncssh.SFTPError | None = None
    """Why something that was gathered could not be written."""

    def seek(self, offset: int, whence: int) -> int:
        """Extension that reports a file without holes; this library's client checks it before a download."""
        return offset if whence == os.SEEK_DATA else ALL


class ContainerFiles(asyncssh.SFTPServer):
    """A client's SFTP session. Every operation runs in the container: all methods of the base class that would touch
    the host's files are overridden.
    """

    def __init__(self, chan: asyncssh.SSHServerChannel[bytes], *, inside: Inside) -> None:
        super().__init__(chan)
        self._inside = inside
        self._stack = AsyncExitStack()
        self._shell: FileShell | None = None
        self._open: set[OpenFile] = set()

    def format_user(self, uid: int | None) -> str:
        """The number: names are the host's."""
        return "" if uid is None else str(uid)

    def format_group(self, gid: int | None) -> str:
        """The number."""
        return self.format_user(gid)

    async def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> OpenFile:
        """Opens a regular file."""
        if len(self._open) >= MOST_OPEN:
            raise asyncssh.SFTPFailure(f"{MOST_OPEN} files are open already")
        letters = "".join(letter for flag, letter in LETTERS if pflags & flag) or "r"
        only_new = "n" if pflags & NEW_ALONE == NEW_ALONE else ""
        mode = "-" if attrs.permissions is None else f"{attrs.permissions & 0o777:o}"
        await self._flush_all()
        await self._call("open_file", path, letters + only_new, mode)
        opened = OpenFile(path, bool(pflags & sftp.FXF_APPEND))
        self._open.add(opened)
        return opened

    async def open56(self, path: bytes, desired_access: int, flags: int, attrs: asyncssh.SFTPAttrs) -> OpenFile:
        """A request of later protocol versions, which this server does not support."""
        raise asyncssh.SFTPOpUnsupported("Only version 3 is served")

    async def close(self, file_obj: object) -> None:
        """Writes buffered data."""
        opened = _file(file_obj)
        self._open.discard(opened)
        await self._flush(opened)

    async def read(self, file_obj: object, offset: int, size: int) -> bytes:
        """Bytes of a file: all requested ones, fewer before its end, none at its end."""
        opened = _file(file_obj)
        await self._flush(opened)
        found = bytearray()
        while len(found) < size:
            start = offset + len(found) - opened.read_at
            if not 0 <= start < len(opened.ahead):
                opened.read_at = offset + len(found)
                start = 0
                opened.ahead = await self._call("get", opened.path, opened.read_at, BLOCK)
            found += opened.ahead[start : start + size - len(found)]
            if len(opened.ahead) < BLOCK:
                break
        return bytes(found)

    async def write(self, file_obj: object, offset: int, data: bytes) -> int:
        """Buffers sequential writes; a full disk may be reported by a later block or the file's close."""
        opened = _file(file_obj)
        if opened.failure is not None:
            raise opened.failure
        opened.ahead = b""
        if opened.gathered and not opened.appends and offset != opened.write_at + len(opened.gathered):
            await self._flush(opened)
        if not opened.gathered:
            opened.write_at = offset
        opened.gathered += data
        if len(opened.gathered) >= BLOCK:
            await self._flush(opened)
        return len(data)

    async def lstat(self, path: bytes) -> asyncssh.SFTPAttrs:
        """Of a link itself."""
        await self._flush_all()
        return _attributes((await self._call("facts_of", path)).split())

    async def stat(self, path: bytes) -> asyncssh.SFTPAttrs:
        """Attributes of a link's target."""
        await self._flush_all()
        return _attributes((await self._call("facts_behind", path)).split())

    async def fstat(self, file_obj: object) -> asyncssh.SFTPAttrs:
        """Of an open file."""
        return await self.stat(_file(file_obj).path)

    async def setstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Size, mode, owner and times, as far as they are given."""
        await self._flush_all()
        if attrs.size is not None:
            await self._call("truncate_to", path, attrs.size)
        if attrs.uid is not None and attrs.gid is not None:
            await self._call("chown", f"{attrs.uid}:{attrs.gid}", "--", path)
        if attrs.permissions is not None:
            await self._call("chmod", f"{attrs.permissions & 0o7777:o}", "--", path)
        if attrs.atime is not None and attrs.mtime is not None:
            await self._call("touched", path, attrs.atime, attrs.mtime)

    async def lsetstat(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Owner and times of a link itself; links have no mode."""
        await self._flush_all()
        if attrs.uid is not None and attrs.gid is not None:
            await self._call("chown", "-h", f"{attrs.uid}:{attrs.gid}", "--", path)
        if attrs.mtime is not None:
            await self._call("touch", "-c", "-h", "-d", f"@{attrs.mtime}", "--", path)

    async def fsetstat(self, file_obj: object, attrs: asyncssh.SFTPAttrs) -> None:
        """Of an open file."""
        await self.setstat(_file(file_obj).path, attrs)

    async def scandir(self, path: bytes) -> AsyncIterator[asyncssh.SFTPName]:
        """Names in a folder, with their attributes."""
        await self._flush_all()
        shell = await self._files()
        for name in (b".", b".."):
            yield asyncssh.SFTPName(name, attrs=await self.lstat(posixpath.join(path, name)))
        for line in (b"\n" + await self._call("list", path)).split(b"\n" + shell.mark + b" ")[1:]:
            *facts, name = line.split(b" ", 7)
            yield asyncssh.SFTPName(name.removesuffix(b"\n").removeprefix(b"./"), attrs=_attributes(facts))

    async def remove(self, path: bytes) -> None:
        """Deletes a file or link."""
        await self._changing("remove", path)

    async def mkdir(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        """Makes a folder."""
        if attrs.permissions is None:
            mode = []
        else:
            mode = ["-m", f"{attrs.permissions & 0o7777:o}"]
        await self._changing("mkdir", *mode, "--", path)

    async def rmdir(self, path: bytes) -> None:
        """Deletes an empty folder."""
        await self._changing("rmdir", "--", path)

    async def realpath(self, path: bytes) -> bytes:
        """Absolute target of a path, whether or not it exists."""
        return posixpath.normpath((await self._call("resolve", path)).removesuffix(b"\n"))

    async def rename(self, oldpath: bytes, newpath: bytes) -> None:
        """Renames, unless the new name is taken."""
        await self._changing("rename", oldpath, newpath)

    async def posix_rename(self, oldpath: bytes, newpath: bytes) -> None:
        """Renames, and replaces the target."""
        await self._changing("replace", oldpath, newpath)

    async def readlink(self, path: bytes) -> bytes:
        """Target of a link."""
        return (await self._call("readlink", "--", path)).removesuffix(b"\n")

    async def symlink(self, oldpath: bytes, newpath: bytes) -> None:
        """Makes a link to any target of the container."""
        await self._changing("ln", "-s", "--", oldpath, newpath)

    async def link(self, oldpath: bytes, newpath: bytes) -> None:
        """Gives a file a second name."""
        await self._changing("ln", "--", oldpath, newpath)

    async def statvfs(self, path: bytes) -> asyncssh.SFTPVFSAttrs:
        """Size and free space of the container's file system."""
        facts = [int(fact) for fact in (await self._call("room", path)).split()]
        size, blocks, free, available, files, free_files, longest = facts
        names = {"bsize": size, "frsize": size, "blocks": blocks, "bfree": free, "bavail": available}
        counts = {"files": files, "ffree": free_files, "favail": free_files, "namemax": longest}
        return asyncssh.SFTPVFSAttrs(**names, **counts)

    async def fstatvfs(self, file_obj: object) -> asyncssh.SFTPVFSAttrs:
        """Of an open file."""
        return await self.statvfs(_file(file_obj).path)

    async def fsync(self, file_obj: object) -> None:
        """Writes buffered data."""
        await self._flush(_file(file_obj))

    async def exit(self) -> None:
        """Ends the shell in the container, and the session with success, which scp expects."""
        await self._stack.aclose()
        if self.channel.get_subsystem() is not None:
            self.channel.exit(0)

    async def _files(self) -> FileShell:
        if self._shell is None:
            try:
                self._shell = await self._stack.enter_async_context(FileShell.opened(self._inside))
            except MachineFault as error:
                raise asyncssh.SFTPConnectionLost(error.message) from error
        return self._shell

    async def _call(self, function: str, *arguments: bytes | str | int, given: bytes = b"") -> bytes:
        shell = await self._files()
        try:
            return await shell.call(function, *arguments, given=given)
        except MachineFault as error:
            raise asyncssh.SFTPConnectionLost(error.message) from error

    async def _changing(self, function: str, *arguments: bytes | str | int) -> None:
        await self._flush_all()
        await self._call(function, *arguments)

    async def _flush_all(self) -> None:
        """Writes buffered data; a failed write is reported by the file's next use."""
        for opened in list(self._open):
            with suppress(asyncssh.SFTPError):
                await self._flush(opened)

    async def _flush(self, opened: OpenFile) -> None:
        if opened.failure is not None:
            raise opened.failure
        if not opened.gathered:
            return
        data = bytes(opened.gathered)
        opened.gathered = bytearray()
        try:
            if opened.appends:
                await self._call("append", opened.path, len(data), given=data)
            else:
                await self._call("put", opened.path, opened.write_at, len(data), given=data)
        except asyncssh.SFTPError as error:
            opened.failure = error
            raise


def _file(opened: Any) -> OpenFile:
    assert isinstance(opened, OpenFile)
    return opened


def _attributes(facts: list[bytes]) -> asyncssh.SFTPAttrs:
    """Attributes of a file, from the script's `stat`. SFTPFailure."""
    try:
        mode = int(facts[0], 16)
        size, uid, gid, atime, mtime, links = map(int, facts[1:7])
    except (ValueError, IndexError) as error:
        raise asyncssh.SFTPFailure(os.strerror(errno.EIO)) from error
    kind = KINDS.get(stat.S_IFMT(mode), asyncssh.FILEXFER_TYPE_SPECIAL)
    times = {"atime": max(0, atime), "mtime": max(0, mtime)}
    return asyncssh.SFTPAttrs(type=kind, size=size, uid=uid, gid=gid, permissions=mode, nlink=links, **times)
