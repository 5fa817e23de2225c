"""Keys that tokens and challenges are authenticated with: the first makes, all are accepted."""

from __future__ import annotations

import os
import secrets
import stat
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass

from anchor_client.errors import BadKeyFile, KeyFileExists
from anchor_client.service.home import expanded
from anchor_client.service.private_files import write_key
from indexer.errors import AuthKeysUnusable

KEY_BYTES = 32
OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key and its name."""

    id: str
    secret: bytes

    @classmethod
    def new(cls) -> SigningKey:
        """A random one."""
        return cls(secrets.token_hex(4), secrets.token_bytes(KEY_BYTES))

    def __str__(self) -> str:
        """A line of the file."""
        return f"{self.id} {urlsafe_b64encode(self.secret).decode()}"

    def __repr__(self) -> str:
        return f"SigningKey({self.id})"


SigningKeys = tuple[SigningKey, ...]


def load_keys(path: str | None) -> SigningKeys:
    """Those of a file, a key a line, the newest first; one that ends with this process without a file.

    A file that does not exist is made. AuthKeysUnusable if others may read it or it has another form; the group may if
    it is another user's file, since there is no other way to share one, as Kubernetes does with its secrets.
    """
    if path is None:
        return (SigningKey.new(),)
    file = expanded(path)
    try:
        if not file.exists():
            write_key(file, f"{SigningKey.new()}\n", "key")
        found = file.stat()
        refused = OTHERS
        if found.st_uid != os.geteuid():
            refused &= ~stat.S_IRGRP
        if stat.S_IMODE(found.st_mode) & refused:
            raise AuthKeysUnusable(file, "others than its owner may read it")
        keys = parse_keys(file.read_text("utf-8").splitlines())
    except (BadKeyFile, KeyFileExists) as error:
        raise AuthKeysUnusable(file, error.message) from error
    except OSError as error:
        raise AuthKeysUnusable(file, error.strerror or "it cannot be read") from error
    except ValueError as error:
        raise AuthKeysUnusable(file, "it has another form") from error
    if not keys or len({key.id for key in keys}) < len(keys):
        raise AuthKeysUnusable(file, "it has no key, or two of one name")
    return keys


def parse_keys(lines: Iterable[str]) -> SigningKeys:
    """The keys of a file's lines. ValueError."""
    return tuple(map(_key, filter(None, lines)))


def _key(line: str) -> SigningKey:
    id, _, encoded = line.strip().partition(" ")
    secret = urlsafe_b64decode(encoded)
    if not id.isalnum() or len(secret) < KEY_BYTES:
        raise ValueError(f"a key has a name and {KEY_BYTES} bytes")
    return SigningKey(id, secret)
