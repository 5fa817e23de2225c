"""Secrets that are shown once and kept as their SHA-256: 256 random bits need no slow hash."""

from __future__ import annotations

import secrets
from hashlib import sha256

REFRESH_PREFIX, KEY_PREFIX = "gpumr_", "gpumk_"
"""By which scanners know a leaked one."""
SECRET_PATTERN = "[A-Za-z0-9_-]{43}"


def new_secret(prefix: str) -> str:
    """A new one."""
    return prefix + secrets.token_urlsafe(32)


def new_id() -> str:
    """A name for a row."""
    return secrets.token_hex(16)


def digest_of(secret: str) -> str:
    """The digest that is stored in place of a secret."""
    return sha256(secret.encode()).hexdigest()
