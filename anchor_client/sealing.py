"""Sealing orders to their hosts and connections to their renters: anyone can seal, only the key's owner can open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from nacl.bindings import crypto_sign_ed25519_sk_to_curve25519
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from anchor_client.errors import BadKeyFile, OrderNotSealed
from anchor_client.service.home import expanded
from anchor_client.service.private_files import write_key
from anchor_client.service.text_file import read_text, unreadable
from anchor_client.solana.wallet import Wallet

KEY_BYTES: Final = PublicKey.SIZE
SEAL_OVERHEAD: Final = 48
"""Bytes by which a sealed message is longer: a public key and a tag."""
HEX: Final = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")
REMEDY: Final = (
    "Name the file as it was saved: an order's key by the dashboard, a host's by `gpu-market host register`."
)


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
        """Reads a file that `save` wrote, or an editor since. BadKeyFile."""
        file = expanded(path)
        try:
            text = read_text(file).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BadKeyFile(f"The seal key file {file} cannot be read: {unreadable(error)}", REMEDY) from error
        if HEX.fullmatch(text) is None:
            raise BadKeyFile(f"{file} has no seal key: {2 * KEY_BYTES} hexadecimal digits, and nothing else", REMEDY)
        return cls.from_bytes(bytes.fromhex(text))

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
