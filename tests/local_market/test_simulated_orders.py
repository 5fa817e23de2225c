"""Simulated hosts wait a little for an order, and make one up for wallets that send none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.orders import Workload
from anchor_client.sealing import SealKey, seal
from local_market.simulated_orders import SimulatedOrderReader
from local_market.wallet_seal import wallet_seal_key

HOST, RENTER_KEY = (SealKey.from_bytes(bytes([number]) * 32) for number in (1, 2))
RENTER = Keypair.from_seed(bytes(32)).pubkey()
DOCUMENT = Workload.of(command="nvidia-smi").for_renter(RENTER_KEY.public)


class Post:
    """Has what was handed over."""

    def __init__(self) -> None:
        self.sealed: bytes | None = None

    async def find(self, renter: Pubkey, order_hash: bytes) -> bytes | None:
        return self.sealed


def rental(order_hash: bytes = DOCUMENT.order_hash) -> Rental:
    return cast(Rental, SimpleNamespace(renter=RENTER, order_hash=order_hash))


def made_up(document: Any) -> bool:
    return bool(document.renter_public_key == wallet_seal_key(RENTER))


async def test_order__on_its_way__is_waited_for() -> None:
    post = Post()
    reader = SimulatedOrderReader(post, HOST, patience=60)
    assert await reader.order(rental()) is None
    post.sealed = seal(DOCUMENT.canonical(), HOST.public)
    assert await reader.order(rental()) == DOCUMENT


async def test_order__that_does_not_arrive__is_made_up() -> None:
    assert made_up(await SimulatedOrderReader(Post(), HOST, patience=0).order(rental()))
    assert made_up(await SimulatedOrderReader(None, HOST).order(rental()))


async def test_order__that_nobody_named__is_made_up_at_once() -> None:
    assert made_up(await SimulatedOrderReader(Post(), HOST, patience=60).order(rental(bytes(32))))
