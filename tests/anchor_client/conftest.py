"""A seeded market on the embedded cluster, and one who sends it transactions by way of a proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from solders.keypair import Keypair

from anchor_client.market.program import MarketProgram
from anchor_client.solana.json_rpc import Retries
from anchor_client.solana.node import NodeClient
from anchor_client.solana.transactions import TransactionSender
from tests.anchor_client.solana.proxy import Proxy
from tests.anchor_client.solana.transactions.sending import QUICK
from tests.markets.marketplace import Marketplace
from tests.markets.served import marketplace

__all__ = ["marketplace"]


@pytest.fixture
async def payer(marketplace: Marketplace) -> Keypair:
    """A wallet with SOL."""
    wallet = Keypair()
    await marketplace.airdrop(wallet)
    return wallet


@pytest.fixture
async def proxy(marketplace: Marketplace) -> AsyncIterator[Proxy]:
    """A proxy in front of the marketplace's node."""
    async with Proxy(marketplace.cluster.rpc_url) as proxy:
        yield proxy


@pytest.fixture
async def sender(proxy: Proxy) -> AsyncIterator[TransactionSender]:
    """Sends once, and waits little."""
    async with NodeClient(proxy.url, retries=Retries(attempts=1)) as client:
        yield TransactionSender(client, MarketProgram(), timing=QUICK)
