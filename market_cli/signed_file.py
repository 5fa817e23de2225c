"""Output of `--unsigned --json`, once its wallet has signed."""

from __future__ import annotations

from base64 import b64decode

from pydantic import Base64Bytes, BaseModel, Field
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import OrderNotSigned
from anchor_client.orders.delivery import SealedOrder, UnsignedOrder


class SignedOrder(BaseModel):
    """An order whose message the wallet has signed."""

    renter: str
    order_hash: str = Field(pattern="^[0-9a-f]{64}$")
    sealed: Base64Bytes
    signed_at: int
    signature: str | None = None

    def order(self) -> SealedOrder:
        """The order with its signature, in base58 or base64. OrderNotSigned."""
        renter = Pubkey.from_string(self.renter)
        unsigned = UnsignedOrder(renter, bytes.fromhex(self.order_hash), self.sealed, self.signed_at)
        if not self.signature:
            raise OrderNotSigned(f"The order lacks the signature of {renter} over its message")
        return unsigned.signed_with(_signature(self.signature))


class SignedFile(BaseModel):
    """A signed transaction, and the orders to hand over before it."""

    transaction: str = Field(pattern="^[A-Za-z0-9+/]+={0,2}$")
    last_valid_block_height: int = Field(ge=0)
    orders: tuple[SignedOrder, ...] = ()


def _signature(text: str) -> Signature:
    try:
        return Signature.from_string(text.strip())
    except ValueError:
        pass
    try:
        return Signature.from_bytes(b64decode(text, validate=True))
    except ValueError as error:
        raise OrderNotSigned("The order's signature is neither base58 nor base64 of 64 bytes") from error
