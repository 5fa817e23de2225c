"""PUT and GET /api/sealed-orders/{renter}/{order_hash}: sealed orders in transit to hosts."""

from __future__ import annotations

import time
from base64 import b64decode
from typing import Annotated

from fastapi import Path, Request
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client import orders
from anchor_client.errors import GpuMarketError, OrderNotSigned
from anchor_client.market.client import Market
from anchor_client.orders import MAX_SEALED_BYTES
from anchor_client.orders.api import NOT_DELIVERED
from anchor_client.resources import base as resources
from anchor_client.service.shares import Nest
from indexer.api.deps import Read, Write
from indexer.api.errors import ApiError, refusals
from indexer.api.http.strict import StrictRouter
from indexer.api.limits.middleware import holder_of
from indexer.api.limits.routes import take_of_node
from indexer.api.sealed_orders import UNCLAIMED_SECONDS, NewerOrderKept, TooManyOrders, find, keep
from indexer.api.words import BASE64_PATTERN, MILLISECONDS, SIGNATURE_PATTERN, AddressText, SignedAt, signature_or
from indexer.models import SealedOrder

router = StrictRouter(prefix="/api/sealed-orders", tags=["orders"])

MAX_CLOCK_SECONDS = 300
"""Most seconds that a renter's clock may be ahead."""


def _from_base64(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("not base64 text")
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise ValueError("not base64") from error


OrderHash = Annotated[
    str, Path(pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the order document, in hex.", examples=["ab" * 32])
]
Sealed = Annotated[
    bytes,
    BeforeValidator(_from_base64),
    WithJsonSchema(
        {
            "type": "string",
            "contentEncoding": "base64",
            "pattern": BASE64_PATTERN,
            "maxLength": -(-MAX_SEALED_BYTES // 3) * 4,
        }
    ),
    Field(description=f"Base64 of the order, sealed to the host's key; at most {MAX_SEALED_BYTES} bytes."),
]
SignatureText = Annotated[
    str,
    Field(pattern=SIGNATURE_PATTERN, description="The renter's signature, in base58.", examples=["1" * 64]),
    signature_or(OrderNotSigned),
]


class NewSealedOrder(BaseModel):
    """A sealed order. What the renter's wallet signs is text of three lines: `gpu-market order ORDER_HASH`,
    `sealed SHA256`, the latter of the sealed bytes in hex, and `signed at SIGNED_AT`; or a Solana off-chain message of
    that text. Hand it over again with its `rental` once that is open: from then on it makes room for no other."""

    sealed: Sealed
    signed_at: SignedAt
    signature: SignatureText
    rental: AddressText | None = Field(default=None, description="Address of the rental, once it is open.")


class StoredSealedOrder(resources.Resource):
    """A sealed order as it is kept."""

    sealed: resources.Sealed = resources.about(description="Base64 of the order, sealed to the host's key.")
    signed_at: SignedAt
    signature: SignatureText
    received_at: int = resources.about(description="Unix seconds.")


class Receipt(BaseModel):
    """Confirms that an order is stored."""

    received_at: int = Field(description="Unix seconds.")
    has_rental: bool = Field(description="True where the node has shown the rental that was named.")


@router.put(
    "/{renter}/{order_hash}", summary="Upload an order", responses=refusals(400, 403, 404, 409, 413, 422, 429, 503)
)
async def put_order(
    request: Request, renter: AddressText, order_hash: OrderHash, posted: NewSealedOrder, write: Write
) -> Receipt:
    """Stores the order until the renter's rental or request with this hash has ended, or for an hour without one. A
    newer version replaces it; a repetition changes nothing.
    """
    if len(posted.sealed) > MAX_SEALED_BYTES:
        message = f"The sealed order has {len(posted.sealed)} bytes; the maximum is {MAX_SEALED_BYTES}."
        raise ApiError(413, "order_too_large", message, "Seal a valid order document: all of them fit.")
    signature = Signature.from_string(posted.signature)
    wallet = Pubkey.from_string(renter)
    digest = bytes.fromhex(order_hash)
    orders.SealedOrder(wallet, digest, posted.sealed, posted.signed_at, signature).verify()
    now = _timely(posted.signed_at)
    order = SealedOrder(
        renter=renter,
        order_hash=order_hash,
        signed_at=posted.signed_at,
        signature=posted.signature,
        received_at=now,
        kept_until=now + UNCLAIMED_SECONDS,
        sealed=posted.sealed,
    )
    has_rental = posted.rental is not None and await _is_open(
        request, Pubkey.from_string(posted.rental), wallet, digest
    )
    try:
        kept = await write(keep, order, Nest.of(holder_of(request.scope)), has_rental=has_rental)
    except NewerOrderKept:
        message = "A version of this order with a later signature exists."
        raise ApiError(409, "order_superseded", message, "Sign the order again to replace it.") from None
    except TooManyOrders as full:
        message = "Too many orders of this wallet wait for a rental."
        remedy = f"Try again in {full.seconds} s."
        raise ApiError(429, "too_many_orders", message, remedy, retry_after=full.seconds) from None
    return Receipt(received_at=kept.received_at, has_rental=has_rental)


@router.get("/{renter}/{order_hash}", summary="Fetch an order", responses=refusals(404, 422, 503))
async def get_order(renter: AddressText, order_hash: OrderHash, read: Read) -> StoredSealedOrder:
    """The order of a renter's rental, for its host to open. The signature makes trust in this server unnecessary."""
    kept = await read(find, renter, order_hash)
    if kept is None:
        message = f"{renter} has uploaded no order {order_hash}."
        raise ApiError(404, NOT_DELIVERED, message, "Try again: a request's order is uploaded after its match.")
    return StoredSealedOrder.drawn_from(kept)


async def _is_open(request: Request, rental: Pubkey, renter: Pubkey, order_hash: bytes) -> bool:
    """True if the node shows the order's rental; False also while it cannot be asked."""
    try:
        await take_of_node(request)
        market: Market = request.app.state.market
        found = await market.reads.rental(rental)
    except (ApiError, GpuMarketError):
        return False
    return found.renter == renter and found.order_hash == order_hash


def _timely(signed_at: int) -> int:
    """The time now, when the order was signed recently: old ones, which all can read, must not come back."""
    now = int(time.time())
    age = now - signed_at // MILLISECONDS
    if not -MAX_CLOCK_SECONDS <= age <= UNCLAIMED_SECONDS:
        message = f"The order was signed {abs(age)} s {'ago' if age > 0 else 'from now'}."
        raise ApiError(409, "order_untimely", message, "Set the signing machine's clock, and sign it again.")
    return now
