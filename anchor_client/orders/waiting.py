"""The orders of requests, kept by the renter until a match names the host that they are sealed to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from anchor_client.orders.document import OrderDocument


class WaitingDocuments(Protocol):
    """Where orders wait, by their SHA-256."""

    def keep(self, document: OrderDocument) -> None:
        """Keeps an order before its request is sent."""

    def find(self, order_hash: bytes) -> OrderDocument | None:
        """An order that waits; None when it was made elsewhere."""

    def forget(self, order_hash: bytes) -> None:
        """Forgets an order that has been delivered, or that no host will take."""


class DocumentMemory:
    """Orders that end with the process."""

    def __init__(self) -> None:
        self._documents: dict[bytes, OrderDocument] = {}

    def keep(self, document: OrderDocument) -> None:
        """Keeps an order."""
        self._documents[document.order_hash] = document

    def find(self, order_hash: bytes) -> OrderDocument | None:
        """An order that waits."""
        return self._documents.get(order_hash)

    def forget(self, order_hash: bytes) -> None:
        """Forgets an order."""
        self._documents.pop(order_hash, None)


class DocumentDirectory:
    """Orders in files of mode 0600, named by their SHA-256."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory).expanduser()

    def keep(self, document: OrderDocument) -> None:
        """Writes an order whole under its hash."""
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self._path(document.order_hash)
        unfinished = path.with_suffix(".new")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(document.canonical())
        unfinished.replace(path)

    def find(self, order_hash: bytes) -> OrderDocument | None:
        """An order that waits. InvalidOrder when its file has been changed."""
        path = self._path(order_hash)
        return OrderDocument.parse(path.read_bytes(), order_hash) if path.exists() else None

    def forget(self, order_hash: bytes) -> None:
        """Deletes an order."""
        self._path(order_hash).unlink(missing_ok=True)

    def _path(self, order_hash: bytes) -> Path:
        return self.directory / f"{order_hash.hex()}.order"
