"""In-process SSH connection to a job's machine, for files, output and ports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import asyncssh

from anchor_client.connection import Connection
from anchor_client.orders.ssh_key import private_file
from anchor_client.sealing import SealKey
from market_cli.errors import BadOption, MachineLost
from market_cli.machine.reach import JobReach

SECONDS: Final = 30.0
KEEPALIVE_SECONDS: Final = 15
BROKEN: Final = (
    ConnectionError,
    TimeoutError,
    asyncssh.ChannelOpenError,
    asyncssh.DisconnectError,
    asyncssh.SFTPConnectionLost,
)
"""Errors of a lost connection, and of requests that its machine no longer serves."""
HERE: Final = "127.0.0.1"
"""Local address for the machine's forwarded ports."""


@asynccontextmanager
async def logged_in(connection: Connection, key: SealKey | None = None) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """A connection to a machine whose key matches the sealed one, if known. Errors of the library and system."""
    hosts = None
    if connection.host_key is not None:
        known = f"[{connection.host}]:{connection.port} {connection.host_key}\n"
        hosts = asyncssh.import_known_hosts(known)
    keys = None if key is None else [asyncssh.import_private_key(private_file(key))]
    async with asyncssh.connect(
        connection.host,
        connection.port,
        username=connection.user,
        password=connection.password,
        known_hosts=hosts,
        client_keys=keys,
        # A stranger's machine must not see the renter's other keys and their configuration.
        agent_path=None,
        config=None,
        connect_timeout=SECONDS,
        keepalive_interval=KEEPALIVE_SECONDS,
    ) as opened:
        yield opened


@asynccontextmanager
async def connected(machine: JobReach) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """A connection to a job's machine while the context lasts. MachineLost, also when it breaks."""
    connection = machine.access.connection
    try:
        async with AsyncExitStack() as stack:
            try:
                opened = await stack.enter_async_context(logged_in(connection, machine.access.key))
            except OSError as error:  # a name that nobody knows, no route: not all of them are ConnectionErrors
                raise _lost(connection, error) from error
            yield opened
    except BROKEN as error:
        raise _lost(connection, error) from error


def _lost(connection: Connection, error: Exception) -> MachineLost:
    place = f"{connection.host}:{connection.port}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return MachineLost(f"The machine at {place} cannot be reached: {reason or type(error).__name__}")


@asynccontextmanager
async def forwarded(ssh: asyncssh.SSHClientConnection, there: int, here: int) -> AsyncIterator[int]:
    """Forwards a port of the machine to HERE while the context lasts; 0 takes a free one. BadOption if taken."""
    try:
        listener = await ssh.forward_local_port(HERE, here, "localhost", there)
    except OSError as error:
        raise BadOption(f"Port {here} of this computer is unavailable: {error.strerror}", "Choose another.") from error
    async with listener:
        yield listener.get_port()
