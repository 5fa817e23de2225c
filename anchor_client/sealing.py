"""Sealing orders to their hosts and connections to their renters: anyone can seal, only the key's owner can open."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from nacl.bindings import crypto_sign_ed25519_sk_to_curve25519
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from anchor_client.errors import BadKeyFile, InvalidOrder, OrderNotSealed
from anchor_client.generated.constants import MAX_CONNECTION_BYTES, MAX_KEEP_DAYS
from anchor_client.private_files import write_key
from anchor_client.wallet import Wallet

KEY_BYTES: Final = PublicKey.SIZE
SEAL_OVERHEAD: Final = 48
"""Bytes by which a sealed message is longer: a public key and a tag."""


@dataclass(frozen=True, slots=True, repr=False)
class SealKey:
    """An X25519 key pair that opens what is sealed to it."""

    private: PrivateKey

    @classmethod
    def generate(cls) -> SealKey:
        """A fresh key: a renter makes one for each order."""
        return cls(PrivateKey.generate())

    @classmethod
    def from_bytes(cls, secret: bytes) -> SealKey:
        """The key of 32 secret bytes. BadKeyFile."""
        if len(secret) != KEY_BYTES:
            raise BadKeyFile(f"A seal key has {KEY_BYTES} bytes, not {len(secret)}")
        return cls(PrivateKey(secret))

    @classmethod
    def of_wallet(cls, wallet: Wallet) -> SealKey:
        """The X25519 twin of a wallet's key, which anyone can seal to who knows its address."""
        return cls.from_bytes(crypto_sign_ed25519_sk_to_curve25519(bytes(wallet.keypair)))

    @classmethod
    def of_workspace(cls, wallet: Wallet, name: str) -> SealKey:
        """Key that opens a wallet's workspaces of that name at hosts: the same on every computer with the wallet."""
        secret = bytes(cls.of_wallet(wallet).private)
        return cls.from_bytes(blake2b(name.encode(), key=secret, digest_size=KEY_BYTES, person=b"workspace").digest())

    @classmethod
    def load(cls, path: Path | str) -> SealKey:
        """Reads a file that `save` wrote. BadKeyFile."""
        file = Path(path).expanduser()
        try:
            secret = bytes.fromhex(file.read_text("ascii").strip())
        except (OSError, ValueError) as error:
            raise BadKeyFile(f"The seal key file {file} cannot be read") from error
        return cls.from_bytes(secret)

    def save(self, path: Path | str) -> None:
        """Writes the secret in hex to a new file with mode 0600. KeyFileExists, BadKeyFile."""
        write_key(path, bytes(self.private).hex(), "seal key")

    @property
    def public(self) -> bytes:
        """The 32 bytes that others seal to."""
        return bytes(self.private.public_key)

    def __repr__(self) -> str:
        return f"SealKey(public={self.public.hex()})"


def seal(message: bytes, public_key: bytes) -> bytes:
    """Seals a message to an X25519 public key; SEAL_OVERHEAD bytes longer than it. BadKeyFile when it is none."""
    if len(public_key) != KEY_BYTES:
        raise BadKeyFile(f"A public seal key has {KEY_BYTES} bytes, not {len(public_key)}")
    return bytes(SealedBox(PublicKey(public_key)).encrypt(message))


def unseal(sealed: bytes, keys: SealKey | Sequence[SealKey]) -> bytes:
    """Opens what was sealed to a key, or to one of several. OrderNotSealed when it was to none."""
    failure: Exception | None = None
    for key in [keys] if isinstance(keys, SealKey) else keys:
        try:
            return bytes(SealedBox(key.private).decrypt(sealed))
        except (CryptoError, ValueError) as error:
            failure = error
    raise OrderNotSealed("This was not sealed to the key given") from failure


MAX_ABUSE_CONTACT: Final = 50
"""Characters."""


class Connection(BaseModel):
    """The renter's access to the machine: the password is made for this rental and dies with it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(min_length=1, max_length=253)
    port: int = Field(ge=1, le=65_535)
    user: str = Field(default="root", min_length=1, max_length=32)
    password: str = Field(min_length=1, max_length=200)
    host_key: str | None = Field(default=None, max_length=120)
    """The machine's SSH key in known_hosts format; None if the renter must trust the first key they see."""
    ports: dict[int, int] = Field(default_factory=dict, max_length=8)
    """Public port of each forwarded TCP port of the container, on the same host."""
    https: dict[int, int] = Field(default_factory=dict, max_length=8)
    """The same for its HTTP ports, which are reached by HTTPS."""
    certificate: str | None = Field(default=None, pattern=r"^[A-Za-z0-9+/]{43}$")
    """SHA-256 of the certificate there and at the terminal, in base64 without padding; None if browsers trust it."""
    terminal: int | None = Field(default=None, ge=1, le=65_535)
    """Port of a terminal for browsers, by WebSocket and TLS; None where there is none."""
    abuse_contact: str | None = Field(default=None, min_length=1, max_length=MAX_ABUSE_CONTACT)
    """Contact for reports of abuse from or to the machine, as the host writes it."""
    keep_days: int | None = Field(default=None, ge=0, le=MAX_KEEP_DAYS)
    """Days after the rental for which the host keeps the workspace; None if the order does not ask for it."""

    @property
    def urls(self) -> dict[int, str]:
        """The address of each HTTP port of the container."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return {inside: f"https://{host}:{public}/" for inside, public in self.https.items()}

    @property
    def fingerprint(self) -> str | None:
        """The certificate's SHA-256 as browsers show it, if it has to be compared."""
        return None if self.certificate is None else b64decode(f"{self.certificate}=").hex(":").upper()

    def sealed(self, renter_key: bytes) -> bytes:
        """The connection as accept_rental takes it. InvalidOrder when it is too long for that."""
        message = seal(self.model_dump_json(exclude_defaults=True).encode(), renter_key)
        if len(message) > MAX_CONNECTION_BYTES:
            raise InvalidOrder(f"The sealed connection has {len(message)} bytes; it may have {MAX_CONNECTION_BYTES}")
        return message

    @classmethod
    def opened(cls, sealed: bytes, keys: SealKey | Sequence[SealKey]) -> Connection:
        """The connection that a host sealed to one of the renter's keys. OrderNotSealed, InvalidOrder."""
        try:
            return cls.model_validate_json(unseal(sealed, keys))
        except ValidationError as error:
            raise InvalidOrder("The host's connection cannot be read") from error
