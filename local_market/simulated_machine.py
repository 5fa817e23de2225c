"""A machine with nothing behind it: it boots, and can be rented."""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.generated.accounts import Listing
from anchor_client.orders import OrderDocument
from host_agent.machine import MeteredUsage

BOOT_SECONDS: Final = 0.3
FIRST_PORT: Final = 20_000
PASSWORD_BYTES: Final = 18
CERTIFICATE: Final = b64encode(sha256(b"").digest()).decode().rstrip("=")
TERMINAL: Final = 1_000
"""From a machine's SSH port to that of its terminal."""


class SimulatedMachine:
    """A host's Machine that runs nothing, and so keeps no trace of a tenant."""

    def __init__(self, region: str, address: Pubkey, listing: Listing) -> None:
        self._host = f"{region}.localnet"
        self._port = FIRST_PORT + listing.id
        self._passwords: dict[Pubkey, str] = {}

    @property
    def tenant(self) -> Pubkey | None:
        """Nobody: there is nothing to wipe."""
        return None

    @property
    def faults(self) -> Sequence[str]:
        """None: it has no hardware."""
        return ()

    async def recover(self) -> None:
        """Nothing is left of an earlier run."""

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """An address that leads nowhere."""
        password = self._passwords.setdefault(rental, secrets.token_urlsafe(PASSWORD_BYTES))
        https = [forward.port for forward in order.ports if forward.protocol == "http"]
        return Connection(
            host=self._host,
            port=self._port,
            password=password,
            https={port: self._port + 1 + place for place, port in enumerate(https)},
            certificate=CERTIFICATE,
            terminal=self._port + TERMINAL,
        )

    async def examine(self, order: OrderDocument) -> None:
        """It runs no image."""

    async def exit_code(self, rental: Pubkey) -> int | None:
        """None: it runs nothing that could end."""
        return None

    async def provision(
        self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False, within: float | None = None
    ) -> None:
        """Takes as long as a fast machine does to boot."""
        await asyncio.sleep(BOOT_SECONDS)

    async def holds(self, rental: Pubkey) -> bool:
        """Always: it cannot fail."""
        return True

    def keep_for(self, seconds: float) -> None:
        """Nothing runs that could outlive it."""

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        """It has nothing to save."""

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        """None: it sends and stores nothing."""
        return None

    async def vacate(self) -> None:
        """There is nothing to wipe."""

    async def idle(self) -> None:
        """There is no background job."""
