"""The SSH key of an order: it follows from the key that the order's connection is sealed to, so no more is kept."""

from __future__ import annotations

from base64 import b64encode
from hashlib import blake2b
from typing import Final

from nacl.signing import SigningKey

from anchor_client.sealing import SealKey

TYPE: Final = b"ssh-ed25519"
COMMENT: Final = b"gpu-market"
SEED_BYTES: Final = 32
BLOCK: Final = 8
LINE: Final = 70


def public_line(key: SealKey) -> str:
    """The public half, as an order carries it."""
    return f"{TYPE.decode()} {b64encode(_blob(_seed(key))).decode()} {COMMENT.decode()}"


def private_file(key: SealKey) -> str:
    """The private half, as OpenSSH reads it from a file (openssh-key-v1, without a passphrase)."""
    seed = _seed(key)
    public = bytes(seed.verify_key)
    check = blake2b(public, digest_size=4).digest()
    secret = check + check + _string(TYPE) + _string(public) + _string(bytes(seed) + public) + _string(COMMENT)
    secret += bytes(range(1, 1 + -len(secret) % BLOCK))
    head = b"openssh-key-v1\0" + _string(b"none") + _string(b"none") + _string(b"") + (1).to_bytes(4, "big")
    text = b64encode(head + _string(_blob(seed)) + _string(secret)).decode()
    lines = [text[start : start + LINE] for start in range(0, len(text), LINE)]
    return "\n".join(["-----BEGIN OPENSSH PRIVATE KEY-----", *lines, "-----END OPENSSH PRIVATE KEY-----", ""])


def _seed(key: SealKey) -> SigningKey:
    return SigningKey(blake2b(bytes(key.private), digest_size=SEED_BYTES, person=b"order-ssh-key").digest())


def _blob(seed: SigningKey) -> bytes:
    return _string(TYPE) + _string(bytes(seed.verify_key))


def _string(text: bytes) -> bytes:
    return len(text).to_bytes(4, "big") + text
