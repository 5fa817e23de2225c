"""Where the orders of simulated hosts come from."""

from __future__ import annotations

from anchor_client.generated.accounts import Rental
from anchor_client.orders import OrderDocument, SealedOrderSource, Workload
from anchor_client.sealing import SealKey
from local_market.wallet_seal import wallet_seal_key


class SimulatedOrderReader:
    """Opens an order that has arrived; for one that has not, makes up an empty order sealed to the renter's wallet.

    So wallets that only send transactions can try the market. Their connection is sealed to the twin of their key.
    """

    def __init__(self, source: SealedOrderSource | None, key: SealKey) -> None:
        self._source = source
        self._key = key

    async def order(self, rental: Rental) -> OrderDocument | None:
        """The order of a rental. InvalidOrder, OrderNotSealed, and the errors of its source."""
        sealed = None if self._source is None else await self._source.find(rental.renter, rental.order_hash)
        if sealed is None:
            return Workload().for_renter(wallet_seal_key(rental.renter))
        return OrderDocument.opened(sealed, self._key, rental.order_hash)
