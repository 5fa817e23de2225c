"""SSH access to a rented machine: an SSH server of the agent's own, so that no image needs one.

Each tenancy has a server at the machine's own port, with credentials that are its own; both end together.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

import asyncssh

from host_agent.errors import HostConfigurationError, MachineFault

KEY_TYPE: Final = "ssh-ed25519"
KEY_FILE_MODE: Final = 0o600
LOGIN_SECONDS: Final = 30
KEEPALIVE_SECONDS: Final = 30

ServeSession = Callable[[asyncssh.SSHServerProcess[bytes]], Awaitable[None]]


class SshIdentity:
    """The key by which renters know the machine."""

    def __init__(self, key: asyncssh.SSHKey) -> None:
        self.key = key

    @classmethod
    def load_or_create(cls, path: Path) -> Self:
        """The key in a file, created if missing. HostConfigurationError for a file that holds none."""
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=KEY_FILE_MODE)
                asyncssh.generate_private_key(KEY_TYPE).write_private_key(path)
            return cls(asyncssh.read_private_key(path))
        except (OSError, asyncssh.KeyImportError) as error:
            raise HostConfigurationError(f"The SSH host key {path} cannot be used: {error}") from error

    @property
    def public_key(self) -> str:
        """In the form of a known_hosts file."""
        return " ".join(self.key.export_public_key().decode().split()[:2])


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a renter logs in with: the rental's password, or the key they named, in OpenSSH's one-line form."""

    password: str = field(repr=False)
    public_key: str | None = None


class TenantSshServer:
    """The SSH server of one tenancy: sessions only, no forwarding, no agent."""

    def __init__(self, acceptor: asyncssh.SSHAcceptor, inside: set[asyncssh.SSHServerConnection]) -> None:
        self._acceptor = acceptor
        self._inside = inside

    @classmethod
    async def listening(
        cls, identity: SshIdentity, bind: str, port: int, credentials: Credentials, serve: ServeSession
    ) -> Self:
        """Starts a server. MachineFault when the port is taken."""
        inside: set[asyncssh.SSHServerConnection] = set()
        try:
            acceptor = await asyncssh.create_server(
                lambda: _Authenticator(credentials, inside),
                bind,
                port,
                server_host_keys=[identity.key],
                process_factory=serve,
                encoding=None,
                line_editor=False,
                agent_forwarding=False,
                login_timeout=LOGIN_SECONDS,
                keepalive_interval=KEEPALIVE_SECONDS,
                reuse_address=True,
            )
        except OSError as error:
            raise MachineFault(
                f"SSH cannot listen at {bind}:{port}: {error.strerror}",
                "Free the port, or choose another --first-port.",
            ) from error
        return cls(acceptor, inside)

    async def close(self) -> None:
        """Disconnects everybody and stops listening."""
        self._acceptor.close()
        for connection in list(self._inside):
            connection.abort()
        await self._acceptor.wait_closed()


class _Authenticator(asyncssh.SSHServer):
    def __init__(self, credentials: Credentials, inside: set[asyncssh.SSHServerConnection]) -> None:
        self._credentials = credentials
        self._inside = inside
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._inside.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self._inside.discard(self._connection)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return hmac.compare_digest(password.encode(), self._credentials.password.encode())

    def public_key_auth_supported(self) -> bool:
        return self._credentials.public_key is not None

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        known = self._credentials.public_key
        return known is not None and key.export_public_key().split()[:2] == known.encode().split()[:2]
