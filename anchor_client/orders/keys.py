"""The key made for each order, kept until its rental's connection has been opened."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from anchor_client.sealing import SealKey


class RenterKeys(Protocol):
    """Where the keys of orders are kept, by the order's SHA-256."""

    def keep(self, order_hash: bytes, key: SealKey) -> None:
        """Keeps a key before its order is sent."""

    def find(self, order_hash: bytes) -> SealKey | None:
        """The key of an order; None when it was made elsewhere."""


class KeyMemory:
    """Keys that end with the process."""

    def __init__(self) -> None:
        self._keys: dict[bytes, SealKey] = {}

    def keep(self, order_hash: bytes, key: SealKey) -> None:
        """Keeps a key."""
        self._keys[order_hash] = key

    def find(self, order_hash: bytes) -> SealKey | None:
        """The key of an order."""
        return self._keys.get(order_hash)


class KeyDirectory:
    """Keys in files of mode 0600, named by the order's SHA-256."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory).expanduser()

    def keep(self, order_hash: bytes, key: SealKey) -> None:
        """Writes a key. KeyFileExists, BadKeyFile."""
        key.save(self._path(order_hash))

    def find(self, order_hash: bytes) -> SealKey | None:
        """The key of an order. BadKeyFile when its file cannot be read."""
        path = self._path(order_hash)
        return SealKey.load(path) if path.exists() else None

    def _path(self, order_hash: bytes) -> Path:
        return self.directory / f"{order_hash.hex()}.key"
