"""The SSH host key that identifies a machine to renters."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Self

import asyncssh

from host_agent.errors import HostConfigurationError

KEY_TYPE: Final = "ssh-ed25519"
KEY_FILE_MODE: Final = 0o600


class SshIdentity:
    """The SSH host key that identifies the machine to renters."""

    def __init__(self, key: asyncssh.SSHKey) -> None:
        self.key = key

    @classmethod
    def load_or_create(cls, path: Path) -> Self:
        """The key in a file, created if missing. HostConfigurationError for a file without one."""
        try:
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                # Made first, with its mode: the library writes into what is there.
                path.touch(mode=KEY_FILE_MODE)
                asyncssh.generate_private_key(KEY_TYPE).write_private_key(path)
            return cls(asyncssh.read_private_key(path))
        except (OSError, asyncssh.KeyImportError) as error:
            raise HostConfigurationError(f"The SSH host key {path} cannot be used: {error}") from error

    @property
    def public_key(self) -> str:
        """The public key, in the format of a known_hosts file."""
        return " ".join(self.key.export_public_key().decode().split()[:2])
