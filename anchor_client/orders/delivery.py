"""Sealed orders on their way to the host; whoever carries them can neither read nor change them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from solders.pubkey import Pubkey


@dataclass(frozen=True, slots=True)
class SealedOrder:
    """An order sealed to the host of a listing, kept under its SHA-256."""

    spec_hash: bytes
    rental: Pubkey
    listing: Pubkey
    host: Pubkey
    sealed: bytes


DeliverOrder = Callable[[SealedOrder], Awaitable[None]]
"""Hands a sealed order over before its rental is opened, so that the host finds it."""


class OrderDirectory:
    """Sealed orders as files in a directory that renter and host share."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory).expanduser()

    async def deliver(self, order: SealedOrder) -> None:
        """Writes a sealed order whole under its hash."""
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self._path(order.spec_hash)
        unfinished = path.with_suffix(".new")
        unfinished.write_bytes(order.sealed)
        unfinished.replace(path)

    def find(self, spec_hash: bytes) -> bytes | None:
        """The sealed order of a rental; None when it has not been delivered."""
        path = self._path(spec_hash)
        return path.read_bytes() if path.exists() else None

    def _path(self, spec_hash: bytes) -> Path:
        return self.directory / f"{spec_hash.hex()}.sealed"
