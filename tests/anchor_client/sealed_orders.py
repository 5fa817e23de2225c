"""In-memory store of sealed orders, shared by the tests' renters and their host."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.orders import SealedOrder


class SealedOrderMemory:
    """Orders in memory."""

    def __init__(self) -> None:
        self._orders: dict[tuple[Pubkey, bytes], bytes] = {}

    async def deliver(self, order: SealedOrder) -> None:
        """Keeps an order that its renter has signed."""
        order.verify()
        self._orders[order.renter, order.order_hash] = order.sealed

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        """The order of a renter."""
        return self._orders.get((renter, order_hash))
