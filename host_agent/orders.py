"""Finds the order that a renter sealed for their rental."""

from __future__ import annotations

import time
from typing import Final, Protocol

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.orders import OrderDocument, SealedOrderSource
from anchor_client.sealing import SealKey
from host_agent.block_list import NOBODY_BLOCKED, BlockList
from host_agent.errors import OrderUndelivered, OrderUnwanted

PATIENCE_SECONDS: Final = 120.0
"""Maximum time for an order to arrive after its rental has been seen.

A renter seals it before paying, or, for a request, once a match has named the host.
"""


class OrderReader(Protocol):
    """Source of a machine's orders."""

    async def order(self, rental: Rental) -> OrderDocument | None:
        """The order of a rental; None while it may still come.

        OrderUnwanted if the host refuses it, InvalidOrder, OrderNotSealed if it cannot be read, OrderUndelivered;
        network errors.
        """


class SealedOrderReader:
    """Fetches sealed orders and opens them with the host's key."""

    def __init__(
        self,
        source: SealedOrderSource,
        key: SealKey,
        patience: float = PATIENCE_SECONDS,
        blocked: BlockList = NOBODY_BLOCKED,
    ) -> None:
        self._source = source
        self._key = key
        self._patience = patience
        self._blocked = blocked
        self._first_asked: dict[tuple[Pubkey, bytes], float] = {}

    async def order(self, rental: Rental) -> OrderDocument | None:
        """The order of a rental."""
        if self._blocked.blocks(rental.renter):
            raise OrderUnwanted("This host refuses orders of this wallet")
        name = rental.renter, rental.order_hash
        sealed = await self._source.find(*name)
        if sealed is not None:
            self._first_asked.pop(name, None)
            return OrderDocument.opened(sealed, self._key, rental.order_hash)
        asked = self._first_asked.setdefault(name, time.monotonic())
        if time.monotonic() - asked >= self._patience:
            del self._first_asked[name]
            raise OrderUndelivered(f"The renter delivered no order within {self._patience:.0f} s")
        return None
