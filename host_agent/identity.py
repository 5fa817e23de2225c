"""Keys and certificates that identify a machine to renters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from host_agent.ssh import SshIdentity
from host_agent.web import TlsIdentity

SSH_KEY_FILE: Final = "ssh_host_ed25519_key"
CERTIFICATE_FILE: Final = "certificate.pem"


@dataclass(frozen=True, slots=True)
class OperatorCertificate:
    """Files of the operator's certificate from an authority, with its chain, and of its key."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class MachineIdentity:
    """The SSH key and the certificate of the agent, the same for all its listings."""

    directory: Path
    ssh: SshIdentity
    tls: TlsIdentity

    @property
    def ssh_key(self) -> Path:
        """File of the SSH key."""
        return self.directory / SSH_KEY_FILE

    @classmethod
    def load_or_create(cls, directory: Path, address: str, operators: OperatorCertificate | None = None) -> Self:
        """Loads the identity from a directory, and creates what is missing. HostConfigurationError."""
        if operators is None:
            tls = TlsIdentity.load_or_create(directory / CERTIFICATE_FILE, address)
        else:
            tls = TlsIdentity.of_operator(operators.certificate, operators.key, address)
        return cls(directory, SshIdentity.load_or_create(directory / SSH_KEY_FILE), tls)
