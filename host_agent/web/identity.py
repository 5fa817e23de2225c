"""The agent's certificate: self-signed, which renters pin, or the operator's, from an authority."""

from __future__ import annotations

import base64
import hashlib
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self

import structlog
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from anchor_client.service.private_files import replace_file
from host_agent.errors import HostConfigurationError

COMMON_NAME: Final = "gpu-market machine"
VALID_DAYS: Final = 3_650
"""Renters pin the certificate: a new one would break the connections of running rentals."""
PROTOCOLS: Final = ("http/1.1",)
"""HTTP/2 would need a proxy that speaks it to the container."""

log = structlog.get_logger(__name__)


class TlsIdentity:
    """A certificate with its key, in files. Every server of the agent has its `context`."""

    def __init__(self, files: Sequence[Path], pin: str | None) -> None:
        self.pin = pin
        """SHA-256 of the certificate that renters expect, in base64 without padding; None if authorities vouch."""
        self.context = _server_context()
        self.files = files
        """The certificate's, and its key's if that is another."""
        self._changed_at = _changed_at(files)
        self._load(self.context)

    @classmethod
    def load_or_create(cls, path: Path, address: str) -> Self:
        """The agent's own, in one file with its key, made if missing for the address. HostConfigurationError."""
        try:
            if not path.exists():
                replace_file(path, _self_signed(address))
            encoded = x509.load_pem_x509_certificate(path.read_bytes()).public_bytes(serialization.Encoding.DER)
            return cls([path], base64.b64encode(hashlib.sha256(encoded).digest()).decode().rstrip("="))
        except (OSError, ValueError) as error:
            raise HostConfigurationError(f"The certificate {path} cannot be used: {error}") from error

    @classmethod
    def of_operator(cls, certificate: Path, key: Path, address: str) -> Self:
        """The operator's, with its chain, for the machine's address. HostConfigurationError."""
        try:
            leaf, *_ = x509.load_pem_x509_certificates(certificate.read_bytes())
            if not _names(leaf, address):
                raise HostConfigurationError(
                    f"The certificate {certificate} is not for {address}",
                    "Get one for the name in --address, or omit --tls-certificate.",
                )
            return cls([certificate, key], None)
        except (OSError, ValueError) as error:
            raise HostConfigurationError(
                f"The certificate {certificate} with the key {key} cannot be used: {error}"
            ) from error

    @property
    def digest(self) -> str:
        """SHA-256 of the certificate, in hex."""
        leaf, *_ = x509.load_pem_x509_certificates(self.files[0].read_bytes())
        return hashlib.sha256(leaf.public_bytes(serialization.Encoding.DER)).hexdigest()

    def refresh(self) -> None:
        """Rereads changed files; open connections keep the old certificate. Unusable files, such as a key that does not
        fit, are logged, and reread after their next change.
        """
        try:
            changed_at = _changed_at(self.files)
            if changed_at == self._changed_at:
                return
            self._changed_at = changed_at
            self._load(_server_context())  # a failure would leave half of it in the one that is used
            self._load(self.context)
        except OSError as error:
            log.warning("certificate_not_renewed", files=[str(file) for file in self.files], error=str(error))
        else:
            log.info("certificate_renewed", files=[str(file) for file in self.files])

    def _load(self, context: ssl.SSLContext) -> None:
        context.load_cert_chain(*map(str, self.files))


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(list(PROTOCOLS))
    return context


def _changed_at(files: Sequence[Path]) -> list[tuple[int, int]]:
    return [((stat := file.stat()).st_mtime_ns, stat.st_ino) for file in files]


def _self_signed(address: str) -> bytes:
    """A key and its certificate, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, COMMON_NAME)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([_general_name(address)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return secret + certificate.public_bytes(serialization.Encoding.PEM)


def _general_name(address: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(address))
    except ValueError:
        return x509.DNSName(address)


def _names(certificate: x509.Certificate, address: str) -> bool:
    """True if a certificate is for an address: by its IP address, its name, or a wildcard name."""
    try:
        alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    wanted = _general_name(address)
    if isinstance(wanted, x509.IPAddress):
        return wanted in alternatives
    names = [name.lower() for name in alternatives.get_values_for_type(x509.DNSName)]
    return bool({address.lower(), f"*.{address.lower().partition('.')[2]}"} & set(names))
