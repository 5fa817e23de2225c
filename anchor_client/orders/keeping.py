"""The renter's records of an order, by the order's SHA-256: its key until its rental's connection has been opened, and
the document of a request until a match names the host that it is sealed to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Generic, Protocol, TypeVar

from anchor_client import orders
from anchor_client.service.home import expanded
from anchor_client.service.private_files import replace_file

T = TypeVar("T")


class OrderStore(Protocol[T]):
    """A store of one item for each order."""

    def keep(self, order_hash: bytes, kept: T) -> None:
        """Keeps it, before anything is sent."""

    def find(self, order_hash: bytes) -> T | None:
        """The item of an order; None where none is kept, as for an order made elsewhere."""

    def forget(self, order_hash: bytes) -> None:
        """Forgets it: the order has been delivered, or no host will take it."""


class InMemory(Generic[T]):
    """Ends with the process."""

    def __init__(self) -> None:
        self._kept: dict[bytes, T] = {}

    def keep(self, order_hash: bytes, kept: T) -> None:
        """Keeps it."""
        self._kept[order_hash] = kept

    def find(self, order_hash: bytes) -> T | None:
        """The item of an order, or None."""
        return self._kept.get(order_hash)

    def forget(self, order_hash: bytes) -> None:
        """Forgets it."""
        self._kept.pop(order_hash, None)


class _Directory:
    """Files of mode 0600, named by the order's SHA-256."""

    suffix: str

    def __init__(self, directory: Path | str) -> None:
        self.directory = expanded(directory)

    def forget(self, order_hash: bytes) -> None:
        """Deletes the file."""
        self._path(order_hash).unlink(missing_ok=True)

    def _path(self, order_hash: bytes) -> Path:
        return self.directory / f"{order_hash.hex()}{self.suffix}"


class KeyDirectory(_Directory):
    """Keys in files."""

    suffix = ".key"

    def keep(self, order_hash: bytes, kept: orders.SealKey) -> None:
        """Writes a key. KeyFileExists, BadKeyFile."""
        kept.save(self._path(order_hash))

    def find(self, order_hash: bytes) -> orders.SealKey | None:
        """The key of an order. BadKeyFile when its file cannot be read."""
        path = self._path(order_hash)
        return orders.SealKey.load(path) if path.exists() else None


class DocumentDirectory(_Directory):
    """Documents in files."""

    suffix = ".order"

    def keep(self, order_hash: bytes, kept: orders.OrderDocument) -> None:
        """Writes a document whole."""
        replace_file(self._path(order_hash), kept.canonical())

    def find(self, order_hash: bytes) -> orders.OrderDocument | None:
        """The document of an order. InvalidOrder when its file has been changed."""
        path = self._path(order_hash)
        if not path.exists():
            return None
        return orders.OrderDocument.parse(path.read_bytes(), order_hash)
