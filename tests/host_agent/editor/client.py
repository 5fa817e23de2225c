"""An editor's connections to a machine that OpenSSH's settings name."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from uuid import uuid4

import pytest
from websockets.asyncio.client import connect

from tests.host_agent import openssh
from tests.host_agent.openssh import Done
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

FACT = re.compile(r"(\w+)==(.*)==")
BEGIN, SERVER = (files(__package__).joinpath(name) for name in ("begin.sh", "server.pl"))


@dataclass(frozen=True, slots=True)
class Machine:
    """A host of a settings file."""

    settings: Path
    name: str

    async def run(self, program: str, *words: str, given: bytes = b"") -> Done:
        """ssh, scp or sftp with these settings; `:path` is a path on the machine."""
        named = [f"{self.name}{each}" if each.startswith(":") else each for each in words]
        done = await openssh.run(program, "-F", str(self.settings), *named, given=given)
        assert done.code == 0, done
        return done


@dataclass(frozen=True, slots=True)
class Window:
    """A window of the editor: an ssh that forwards ports, and what its script has found out on the machine."""

    facts: Mapping[str, str]
    socks: int

    @property
    def port(self) -> int:
        """Port at which the server listens on the machine."""
        return int(self.facts["listeningOn"])

    async def connection(self, host: bytes = b"127.0.0.1") -> socket.socket:
        """A connection to the server through the dynamic forward (RFC 1928)."""
        loop, made = asyncio.get_running_loop(), await connected(self.socks)
        await loop.sock_sendall(made, b"\5\1\0")
        assert await _heard(made, 2) == b"\5\0"
        await loop.sock_sendall(made, b"\5\1\0\3" + bytes([len(host)]) + host + self.port.to_bytes(2))
        assert (await _heard(made, 10))[:2] == b"\5\0"
        return made


@asynccontextmanager
async def window(machine: Machine, shell: str | None, log: Path, *options: str) -> AsyncIterator[Window]:
    """Opens a window, by the login shell or by `shell`, while the context lasts; what `ssh -v` says goes to a file."""
    socks = free_ports()
    ssh = ("ssh", "-v", "-T", "-D", str(socks), *options, "-o", "ConnectTimeout=15", "-F", str(machine.settings))
    command = (*ssh, machine.name, *([] if shell is None else [shell]))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SSH_")}
    with log.open("wb") as said:
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=said, env=environment)
    assert process.stdin is not None
    try:
        async with asyncio.timeout(PATIENCE):
            facts = await _handshake(machine, process)
        if facts is None:
            pytest.fail(f"there is no server: see {log}")
        yield Window(facts, socks)
    finally:
        process.stdin.close()
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def connected(port: int) -> socket.socket:
    """A connection to a port of this computer."""
    made = socket.socket()
    made.setblocking(False)
    await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
    return made


async def echoes(server: socket.socket, messages: list[bytes]) -> None:
    """Asserts that a WebSocket returns each message."""
    async with asyncio.timeout(PATIENCE), connect("ws://localhost/", sock=server, proxy=None, max_size=None) as talk:
        for message in messages:
            await talk.send(message)
            assert await talk.recv() == message


async def greeting(server: socket.socket) -> bytes:
    """A server's answer to a plain request."""
    reader, writer = await asyncio.open_connection(sock=server)
    async with asyncio.timeout(PATIENCE):
        writer.write(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = await reader.read()
        writer.close()
    return answer


async def _handshake(machine: Machine, process: Process) -> dict[str, str] | None:
    """Has the script run, sends the server if it asks, and gives the facts; None if it ends without them."""
    assert process.stdin is not None and process.stdout is not None
    mark = uuid4().hex[:12]
    process.stdin.write(f"id={mark}\n{BEGIN.read_text()}".encode())
    lines: list[str] = []
    while line := (await process.stdout.readline()).decode().rstrip("\n"):
        lines.append(line)
        if line == f"{mark}: wants the server":
            await machine.run("scp", str(SERVER), ":.editor-server/server.pl")
            process.stdin.write(f"{mark}: sent\n".encode())
        elif line == f"{mark}: end":
            told = lines[lines.index(f"{mark}: start") :]
            return {found[1]: found[2] for each in told if (found := FACT.fullmatch(each)) is not None}
    return None


async def _heard(connection: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        data += (more := await asyncio.get_running_loop().sock_recv(connection, length - len(data)))
        assert more, "the forward has closed"
    return data
