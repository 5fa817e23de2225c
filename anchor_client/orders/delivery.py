"""Sealed orders on their way to the host; whoever carries them can neither read nor change them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Protocol

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import OrderNotSigned
from anchor_client.signed_text import is_signed
from anchor_client.solana.wallet import Wallet


@dataclass(frozen=True, slots=True)
class SealedOrder:
    """An order sealed to the host of a rental and signed by its renter.

    Who carries it cannot compare it with its hash, and the hash of a request is public before its order is on the way:
    only the signature keeps others from putting something else in its place. `signed_at`, in milliseconds since 1970,
    shows which of two versions is the newer one, so that nobody can bring the older one back.
    """

    renter: Pubkey
    order_hash: bytes
    sealed: bytes
    signed_at: int
    signature: Signature
    rental: Pubkey | None = None
    """The order's rental, where it is open: whoever carries orders keeps this one then, however many others come."""

    def of_rental(self, rental: Pubkey) -> SealedOrder:
        """The same, once its rental is open."""
        return replace(self, rental=rental)

    @classmethod
    def signed(cls, wallet: Wallet, order_hash: bytes, sealed: bytes, signed_at: int | None = None) -> SealedOrder:
        """A sealed order of the wallet's, signed now unless another time is named."""
        at = _now() if signed_at is None else signed_at
        signature = wallet.keypair.sign_message(statement(order_hash, sealed, at))
        return cls(wallet.pubkey, order_hash, sealed, at, signature)

    def verify(self) -> None:
        """Raises OrderNotSigned unless the renter has signed exactly this, also in an off-chain message's envelope."""
        if not is_signed(statement(self.order_hash, self.sealed, self.signed_at), self.renter, self.signature):
            raise OrderNotSigned(f"{self.renter} has not signed this order")


@dataclass(frozen=True, slots=True)
class UnsignedOrder:
    """A sealed order whose renter's key is elsewhere: the wallet there signs `message`."""

    renter: Pubkey
    order_hash: bytes
    sealed: bytes
    signed_at: int
    rental: Pubkey | None = None
    """The order's rental, where it is open already."""

    @classmethod
    def now(cls, renter: Pubkey, order_hash: bytes, sealed: bytes, rental: Pubkey | None = None) -> UnsignedOrder:
        """An order to be signed from now on."""
        return cls(renter, order_hash, sealed, _now(), rental)

    @property
    def message(self) -> bytes:
        """The text that the wallet signs."""
        return statement(self.order_hash, self.sealed, self.signed_at)

    def signed_with(self, signature: Signature) -> SealedOrder:
        """The order with the wallet's signature. OrderNotSigned if it is of something else."""
        order = SealedOrder(self.renter, self.order_hash, self.sealed, self.signed_at, signature, self.rental)
        order.verify()
        return order


def _now() -> int:
    return int(time.time() * 1_000)


def statement(order_hash: bytes, sealed: bytes, signed_at: int) -> bytes:
    """The statement that the renter's wallet signs: text in UTF-8 that a wallet can show."""
    return f"gpu-market order {order_hash.hex()}\nsealed {sha256(sealed).hexdigest()}\nsigned at {signed_at}".encode()


DeliverOrder = Callable[[SealedOrder], Awaitable[object]]
"""Hands a sealed order over: before its rental is opened, or once a request has found its machine. Gives True where
whoever takes it knows its rental, so that it stays."""


class SealedOrderSource(Protocol):
    """A host's source of the orders of its rentals."""

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        """The sealed order of a renter's rental; None while it has not been delivered. Raises the network's errors."""
