"""The SSH server of one tenancy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial
from typing import Final, Self

import asyncssh
import structlog

from host_agent.network.doors import Anteroom, GuardedSocket, bound, has_spare
from host_agent.ssh.credentials import RenterCredentials, TooManyTries
from host_agent.ssh.forwarding import Forwarding
from host_agent.ssh.identity import SshIdentity
from host_agent.ssh.inside import Inside
from host_agent.ssh.output import LOGS, serve_output
from host_agent.ssh.sftp import ContainerFiles

log = structlog.get_logger(__name__)

PROTOCOL: Final = "SSH"
LOGIN_SECONDS: Final = 30
KEEPALIVE_SECONDS: Final = 30
MOST_CONNECTIONS: Final = 512
"""Maximum connections of one tenancy, logged in or not."""
STRANGERS: Final = Anteroom()
"""Connections to all tenancies of this process that have not logged in yet."""
LEAVING_SECONDS: Final = 10
"""Limit for an engine that does not answer."""
CROWDED: Final = "The machine has too many connections: close some, and try again"
SFTP_VERSION: Final = 3
"""The one that OpenSSH speaks."""


class TenantSshServer:
    """The SSH server of one tenancy: sessions, files, the container's output, and its ports. The host's files, ports,
    agents and sockets are unreachable through it.
    """

    def __init__(
        self,
        acceptor: asyncssh.SSHAcceptor,
        connections: set[asyncssh.SSHServerConnection],
        forwards: set[asyncio.Task[None]],
    ) -> None:
        self._acceptor = acceptor
        self._connections = connections
        self._forwards = forwards

    @classmethod
    async def listening(
        cls, identity: SshIdentity, bind: str, port: int, credentials: RenterCredentials, inside: Inside
    ) -> Self:
        """Starts a server. MachineFault if the port is taken."""
        return await cls.serving(identity, bound(PROTOCOL, bind, port, MOST_CONNECTIONS), credentials, inside)

    @classmethod
    async def serving(
        cls, identity: SshIdentity, listener: GuardedSocket, credentials: RenterCredentials, inside: Inside
    ) -> Self:
        """Starts a server at a socket, which is its own from now on."""
        connections: set[asyncssh.SSHServerConnection] = set()
        forwards: set[asyncio.Task[None]] = set()
        try:
            acceptor = await asyncssh.create_server(
                lambda: _Owner(credentials, connections, inside, forwards),
                sock=listener,
                server_host_keys=[identity.key],
                process_factory=partial(_serve, inside),
                sftp_factory=partial(ContainerFiles, inside=inside),
                sftp_version=SFTP_VERSION,
                allow_scp=True,
                encoding=None,
                # The container's own terminal echoes and edits.
                line_editor=False,
                agent_forwarding=False,
                login_timeout=LOGIN_SECONDS,
                keepalive_interval=KEEPALIVE_SECONDS,
            )
        except BaseException:
            listener.close()
            raise
        return cls(acceptor, connections, forwards)

    def stop_listening(self) -> None:
        """Leaves new clients to another server at the same socket; connections stay."""
        self._acceptor.close()

    async def close(self) -> None:
        """Disconnects all clients, stops listening, and waits until forwarded ports are closed in the container."""
        self._acceptor.close()
        for connection in list(self._connections):
            connection.abort()
            await connection.wait_closed()
        await self._acceptor.wait_closed()
        if self._forwards:
            await asyncio.wait(self._forwards, timeout=LEAVING_SECONDS)


async def _serve(inside: Inside, session: asyncssh.SSHServerProcess[bytes]) -> None:
    """Serves a session, or the subsystem that it names, until it ends or the renter closes it."""
    try:
        if not has_spare():
            session.stderr.write(f"{CROWDED}\n".encode())
            session.exit(1)
        elif session.subsystem is None:
            await inside.serve(session)
        elif session.subsystem.split()[:1] == [LOGS]:
            await serve_output(inside, session)
        else:
            session.stderr.write(f"Unknown subsystem {session.subsystem}; available: sftp and {LOGS}\n".encode())
            session.exit(1)
    except (ConnectionError, asyncssh.Error) as error:
        # asyncssh would close the whole connection: other sessions, files and forwarded ports with this one
        log.debug("session_closed_by_renter", error=str(error))


class _Owner(asyncssh.SSHServer):
    """One connection: its authentication and its forwarded ports."""

    def __init__(
        self,
        credentials: RenterCredentials,
        connections: set[asyncssh.SSHServerConnection],
        inside: Inside,
        forwards: set[asyncio.Task[None]],
    ) -> None:
        self._forwarded = forwards
        self._credentials = credentials
        self._connections = connections
        self._inside = inside
        self._connection: asyncssh.SSHServerConnection | None = None
        self._forwarding: Forwarding | None = None
        self._address = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._connections.add(conn)
        self._forwarding = Forwarding(self._inside, conn, self._forwarded)
        self._address = str(conn.get_extra_info("peername", ("",))[0])
        if not STRANGERS.enter(conn, self._address):
            log.debug("ssh_connection_refused", address=self._address)
            conn.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._forwarding is not None:
            self._forwarding.close()
        if self._connection is not None:
            self._connections.discard(self._connection)
            STRANGERS.leave(self._connection)

    def begin_auth(self, username: str) -> bool:
        return True

    def auth_completed(self) -> None:
        self._credentials.throttle.succeeded(self._address)
        if self._connection is not None:
            STRANGERS.leave(self._connection)

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        try:
            return self._credentials.admit(self._address, password)
        except TooManyTries as error:
            if self._connection is not None:
                self._connection.send_auth_banner(f"{error}. The order's SSH key is accepted immediately.\r\n")
            return False

    def public_key_auth_supported(self) -> bool:
        return self._credentials.public_key is not None

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        known = self._credentials.public_key
        # Without the comment, which is not part of the key.
        return known is not None and key.export_public_key().split()[:2] == known.encode().split()[:2]

    def connection_requested(
        self, dest_host: str, dest_port: int, orig_host: str, orig_port: int
    ) -> Awaitable[asyncssh.SSHTCPSession[bytes]]:
        if not has_spare():
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_RESOURCE_SHORTAGE, CROWDED)
        return self._forwards.connect(dest_host, dest_port)

    async def server_requested(self, listen_host: str, listen_port: int) -> bool | asyncssh.SSHListener:
        return await self._forwards.listen(listen_host, listen_port) or False

    @property
    def _forwards(self) -> Forwarding:
        assert self._forwarding is not None
        return self._forwarding
