"""OpenSSH's own programs, and rsync, as a renter has them."""

from __future__ import annotations

import asyncio
import os
import shutil
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from anchor_client.connection import Connection

SECONDS = 60


def require(*programs: str) -> None:
    """Skips where one of them is not installed, and fails instead in CI."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"{', '.join(missing)} is not installed")
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")


@dataclass(frozen=True, slots=True)
class Done:
    """Exit code and output of a program that has ended."""

    code: int
    out: str
    error: str


@dataclass(frozen=True, slots=True)
class OpenSsh:
    """Logs in to a machine with a key, and knows the machine by the one that the connection names."""

    connection: Connection
    key: Path

    @property
    def options(self) -> list[str]:
        """Options that ssh, sftp and scp all take."""
        known = self.key.with_suffix(".known")
        known.write_text(f"[{self.connection.host}]:{self.connection.port} {self.connection.host_key}\n")
        wanted = {
            "UserKnownHostsFile": str(known),
            "GlobalKnownHostsFile": "none",
            "StrictHostKeyChecking": "yes",
            "IdentitiesOnly": "yes",
            "IdentityFile": str(self.key),
            "BatchMode": "yes",
            "ExitOnForwardFailure": "yes",
        }
        return ["-F", "none", *(part for name, value in wanted.items() for part in ("-o", f"{name}={value}"))]

    @property
    def place(self) -> str:
        """The machine, as scp and rsync name it."""
        return f"{self.connection.user}@{self.connection.host}"

    async def ssh(self, *arguments: str, given: bytes = b"") -> Done:
        """Runs ssh with arguments after its options: `--` and a command, say."""
        return await run("ssh", *self.options, "-p", str(self.connection.port), self.place, *arguments, given=given)

    async def sftp(self, *commands: str) -> Done:
        """Runs commands by sftp."""
        batch = "\n".join(commands).encode()
        program = ("sftp", *self.options, "-P", str(self.connection.port), "-b", "-", self.place)
        return await run(*program, given=batch)

    async def scp(self, *arguments: str) -> Done:
        """Runs scp; `:path` is a path on the machine."""
        named = [f"{self.place}{each}" if each.startswith(":") else each for each in arguments]
        return await run("scp", *self.options, "-P", str(self.connection.port), *named)

    async def rsync(self, *arguments: str) -> Done:
        """Runs rsync over ssh; `:path` is a path on the machine."""
        named = [f"{self.place}{each}" if each.startswith(":") else each for each in arguments]
        shell = " ".join(["ssh", *self.options, "-p", str(self.connection.port)])
        return await run("rsync", "-e", shell, *named)

    @asynccontextmanager
    async def forwarding(self, *options: str) -> AsyncIterator[None]:
        """Ports are forwarded while the context lasts."""
        command = ("ssh", *self.options, *options, "-p", str(self.connection.port), self.place, "echo up; cat")
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
        assert process.stdout is not None and process.stdin is not None and process.stderr is not None
        try:
            async with asyncio.timeout(SECONDS):
                if await process.stdout.readline() != b"up\n":
                    pytest.fail((await process.stderr.read()).decode())
            yield
        finally:
            process.stdin.close()
            if process.returncode is None:
                process.terminate()
            await process.communicate()


async def run(
    *command: str, given: bytes = b"", environment: Mapping[str, str] = os.environ, cwd: Path | None = None
) -> Done:
    """A program, to its end."""
    environment = {name: value for name, value in environment.items() if not name.startswith("SSH_")}
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, cwd=cwd
    )
    async with asyncio.timeout(SECONDS):
        out, error = await process.communicate(given)
    assert process.returncode is not None
    return Done(process.returncode, out.decode(errors="replace"), error.decode(errors="replace"))
