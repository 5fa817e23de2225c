"""Output of `--unsigned --json`, once its wallet has signed."""

from __future__ import annotations

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import MissingSignature, OrderNotSigned
from anchor_client.orders.delivery import SealedOrder, UnsignedOrder
from anchor_client.service.optional import optional
from anchor_client.signed_text import is_signed, read_signature
from anchor_client.solana.wallet import parse_address


class SignedOrder(BaseModel):
    """An order whose message the wallet has signed."""

    renter: str
    order_hash: str = Field(pattern="^[0-9a-f]{64}$")
    sealed: Base64Bytes
    signed_at: int
    rental: str | None = None
    signature: str | None = None

    def order(self) -> SealedOrder:
        """The order with its signature. OrderNotSigned, BadAddress."""
        renter = parse_address(self.renter)
        rental = optional(parse_address, self.rental)
        unsigned = UnsignedOrder(renter, bytes.fromhex(self.order_hash), self.sealed, self.signed_at, rental)
        if not self.signature:
            raise OrderNotSigned(f"The order lacks the signature of {renter} over its message")
        try:
            return unsigned.signed_with(read_signature(self.signature))
        except ValueError as error:
            raise OrderNotSigned(f"The order's signature is {error}") from error


class SignedTransaction(BaseModel):
    """A signed transaction, and the orders to hand over before it."""

    transaction: str = Field(pattern="^[A-Za-z0-9+/]+={0,2}$")
    last_valid_block_height: int = Field(ge=0)
    orders: tuple[SignedOrder, ...] = ()


class SignedOrders(BaseModel):
    """Orders that no transaction follows, as that of a request."""

    model_config = ConfigDict(extra="forbid")

    orders: tuple[SignedOrder, ...] = Field(min_length=1)


class SignedSignIn(BaseModel):
    """The text of a sign-in that the wallet has signed."""

    wallet: str
    message: str
    signature: str | None = None

    def signed(self) -> tuple[Pubkey, bytes, Signature]:
        """Wallet, text and signature. MissingSignature, BadAddress."""
        wallet = parse_address(self.wallet)
        text = self.message.encode()
        if not self.signature:
            raise MissingSignature(f"The message lacks the signature of {wallet}")
        try:
            signature = read_signature(self.signature)
        except ValueError as error:
            raise MissingSignature(f"The message's signature is {error}") from error
        if not is_signed(text, wallet, signature):
            raise MissingSignature(f"{wallet} has not signed this message")
        return wallet, text, signature


class SignInFile(BaseModel):
    """A sign-in."""

    sign_in: SignedSignIn


SignedFile = SignedTransaction | SignedOrders | SignInFile


def read_signed(text: str) -> SignedFile:
    """Any kind of file. ValueError."""
    return TypeAdapter[SignedFile](SignedFile).validate_json(text)
