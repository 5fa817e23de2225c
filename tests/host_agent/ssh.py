"""A renter's SSH client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncssh

from anchor_client.connection import Connection


@asynccontextmanager
async def logged_in(connection: Connection, **options: Any) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """SSH with the password of a connection, and the machine's key as it says."""
    assert connection.host_key is not None
    known = asyncssh.import_known_hosts(f"[{connection.host}]:{connection.port} {connection.host_key}\n")
    own = {"password": connection.password, "client_keys": None, "config": None, "agent_path": None, **options}
    async with asyncssh.connect(
        connection.host, connection.port, username=connection.user, known_hosts=known, **own
    ) as ssh:
        yield ssh


async def inside(
    connection: Connection, command: str | None = None, given: str = "", **options: Any
) -> tuple[int, str]:
    """Exit code and output of a command by SSH."""
    async with logged_in(connection, **options) as ssh:
        done = await ssh.run(command, input=given)
    assert done.exit_status is not None
    return done.exit_status, str(done.stdout)
