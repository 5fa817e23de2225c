"""Source of the orders of simulated hosts."""

from __future__ import annotations

import time
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.orders import OrderDocument, SealedOrderSource, Workload
from anchor_client.sealing import SealKey
from local_market.wallet_seal import wallet_seal_key

PATIENCE_SECONDS: Final = 20.0
"""An order of a request arrives once its renter has seen the match and signed."""


class SimulatedOrderReader:
    """Opens an order that has arrived; for one that does not in time, makes up an empty order sealed to the renter's
    wallet, and at once where the rental names none.

    So wallets that only send transactions can try the market. Their connection is sealed to the twin of their key.
    """

    def __init__(self, source: SealedOrderSource | None, key: SealKey, patience: float = PATIENCE_SECONDS) -> None:
        self._source = source
        self._key = key
        self._patience = patience
        self._first_asked: dict[tuple[Pubkey, bytes], float] = {}

    async def order(self, rental: Rental) -> OrderDocument | None:
        """The order of a rental; None while it may still arrive. InvalidOrder, OrderNotSealed, and the errors of its
        source."""
        name = rental.renter, rental.order_hash
        sealed = None if self._source is None else await self._source.find(*name)
        if sealed is not None:
            self._first_asked.pop(name, None)
            return OrderDocument.opened(sealed, self._key, rental.order_hash)
        if self._source is not None and any(rental.order_hash):
            now = time.monotonic()
            if now - self._first_asked.setdefault(name, now) < self._patience:
                return None
            del self._first_asked[name]
        return Workload().for_renter(wallet_seal_key(rental.renter))
