"""Sealed orders by way of the market's API, which keeps them for the host."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Final

import msgspec
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.market import MarketApi, refusal_in
from anchor_client.errors import WrongApi
from anchor_client.orders.delivery import SealedOrder

NOT_DELIVERED: Final = "order_not_found"
"""The name of the API's error for an order it does not have."""


class _Kept(msgspec.Struct):
    sealed: str
    signed_at: int
    signature: str


class _Receipt(msgspec.Struct):
    has_rental: bool = False


class SealedOrderApi(MarketApi):
    """Delivers and finds orders at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def deliver(self, order: SealedOrder) -> bool:
        """Hands an order over; one that the renter signed before it is replaced. True if the API knows its rental."""
        kept: dict[str, object] = {
            "sealed": b64encode(order.sealed).decode(),
            "signed_at": order.signed_at,
            "signature": str(order.signature),
        }
        if order.rental is not None:
            kept["rental"] = str(order.rental)
        answer = await self.ask("PUT", _path(order.renter, order.order_hash), kept)
        if not answer.is_success:
            raise self.failure(answer)
        try:
            return msgspec.json.decode(answer.text, type=_Receipt).has_rental
        except msgspec.MsgspecError as error:
            raise WrongApi(f"{self.endpoint} does not answer with a receipt") from error

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        """The sealed order of a renter's rental; None while it has not been delivered. OrderNotSigned."""
        answer = await self.ask("GET", _path(renter, order_hash))
        if not answer.is_success:
            refusal = refusal_in(answer)
            if refusal is not None and refusal.error == NOT_DELIVERED:
                return None
            raise self.failure(answer)
        try:
            kept = msgspec.json.decode(answer.text, type=_Kept)
            sealed = b64decode(kept.sealed, validate=True)
            signature = Signature.from_string(kept.signature)
        except (ValueError, msgspec.MsgspecError) as error:
            raise WrongApi(f"{self.endpoint} does not answer with an order") from error
        SealedOrder(renter, order_hash, sealed, kept.signed_at, signature).verify()
        return sealed


def _path(renter: Pubkey, order_hash: bytes) -> str:
    return f"/api/sealed-orders/{renter}/{order_hash.hex()}"
