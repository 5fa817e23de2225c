"""A shell in a container that serves files to the agent, with requests and answers over its standard input and output.
It needs /bin/sh and the usual tools of an image with a shell (GNU's or busybox's). A file server in the container would
need none, but would have to be built for each architecture, shipped and mounted.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Final

import asyncssh

from host_agent.ssh.inside import Inside, InsideProcess

SCRIPT: Final = files(__package__).joinpath("files.sh").read_text("utf-8")
MARK_BYTES: Final = 16
MOST_ANSWERED: Final = 64 * 2**20
"""Maximum bytes of one answer; a folder with more names is refused."""
REASONS: Final = (
    ("Permission denied", asyncssh.SFTPPermissionDenied),
    ("Operation not permitted", asyncssh.SFTPPermissionDenied),
    ("No such file", asyncssh.SFTPNoSuchFile),
    ("nonexistent", asyncssh.SFTPNoSuchFile),
    ("No space left", asyncssh.SFTPFailure),
)
"""The tools' messages with their SFTP errors; all others are failures."""


class FileShell:
    """Requests to the shell, one after another. SFTPConnectionLost once it has ended."""

    def __init__(self, process: InsideProcess, mark: bytes) -> None:
        self.mark = mark
        self._process = process
        self._end = b"\n" + mark + b"\n"
        self._answered = bytearray()

    @classmethod
    @asynccontextmanager
    async def opened(cls, inside: Inside) -> AsyncIterator[FileShell]:
        """A shell while the context lasts. SFTPFailure if the image lacks a tool; MachineFault."""
        mark = secrets.token_hex(MARK_BYTES)
        async with inside.process(["/bin/sh", "-c", SCRIPT, "sh", mark]) as process:
            shell = cls(process, mark.encode())
            status, missing, _ = await shell._answer()
            if status or missing:
                raise asyncssh.SFTPFailure(f"The image has no {missing.decode(errors='replace')}: files need it")
            yield shell

    async def call(self, function: str, *arguments: bytes | str | int, given: bytes = b"") -> bytes:
        """Calls a function of the script; returns its output. Raises the SFTPError of its error message."""
        words = [function.encode(), *(_quoted(argument) for argument in arguments)]
        await self._process.write(b" ".join(words) + b"\n" + given)
        status, error, printed = await self._answer()
        if status:
            raise _refusal(error.decode(errors="replace"))
        return printed

    async def _answer(self) -> tuple[int, bytes, bytes]:
        """Status, error and output."""
        answered = self._answered
        answered.clear()
        # The mark is random for each shell: a file's content cannot end an answer early.
        while not answered.endswith(self._end):
            said = await self._process.read()
            if said is None:
                raise asyncssh.SFTPConnectionLost("The container has ended, or its shell")
            # Docker carries the two outputs apart, in no order: the script prints errors in the answer.
            if said.is_error:
                continue
            answered += said.data
            if len(answered) > MOST_ANSWERED:
                raise asyncssh.SFTPConnectionLost(f"The container's answer exceeds {MOST_ANSWERED} bytes")
        del answered[-len(self._end) :]
        head = b"\n" + self.mark + b" "
        # The last one: in a folder's listing each line has the mark.
        start = answered.rfind(head)
        status, _, error = bytes(answered[start + len(head) :]).partition(b" ")
        if start < 0 or not status.isdigit():
            raise asyncssh.SFTPConnectionLost("The container's answer is malformed")
        return int(status), error.strip(), bytes(answered[:start])


def _quoted(argument: bytes | str | int) -> bytes:
    """An argument quoted for the shell, on one line."""
    raw = argument if isinstance(argument, bytes) else str(argument).encode()
    return b"'" + raw.replace(b"'", b"'\"'\"'").replace(b"\n", b"'\"$nl\"'") + b"'"


def _refusal(said: str) -> asyncssh.SFTPError:
    lines = [line for line in said.splitlines() if not line.endswith((" in", " out"))] or [said]
    for words, kind in REASONS:
        if words in said:
            return kind(lines[-1])
    return asyncssh.SFTPFailure(lines[-1])
