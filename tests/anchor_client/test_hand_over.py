"""An order that the API had to let go before its rental was known."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.errors import UnreachableApi
from anchor_client.market import Market, RentalWanted
from anchor_client.market.rental import delivery
from anchor_client.orders import SealedOrder, SealedOrderApi, Workload
from anchor_client.solana.wallet import Wallet
from host_agent.orders import SealedOrderReader
from indexer.api import sealed_orders
from tests.indexer.databases import sqlite
from tests.indexer.service import api_alone, until
from tests.markets.marketplace import H100, Marketplace

HOUR = 3_600


async def test_order__let_go_for_a_stranger__is_handed_over_again_and_reaches_the_agent(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "REPEAT_SECONDS", 0.01)
    monkeypatch.setattr(sealed_orders, "MAX_UNCLAIMED", 1)
    cluster, renter = marketplace.cluster, await marketplace.renter()
    came: list[SealedOrder] = []
    with sqlite(tmp_path / "index.db") as engine:
        node = {"rpc_url": cluster.rpc_url, "ws_url": cluster.ws_url}
        async with api_alone(engine, **node) as url, SealedOrderApi(url) as api:

            async def deliver(order: SealedOrder) -> bool:
                came.append(order)
                if len(came) == 2:
                    raise UnreachableApi("away")
                is_known = await api.deliver(order)
                if len(came) == 1:
                    await api.deliver(SealedOrder.signed(Wallet(Keypair()), bytes(32), b"a stranger's"))
                return is_known

            agent = SealedOrderReader(api, marketplace.seal_key)
            async with Market.connect(cluster.rpc_url, renter, ws_url=cluster.ws_url, deliver_order=deliver) as market:
                wanted = RentalWanted(gpu=H100, duration=HOUR, pay="GPUM")
                job = await market.rental.open(wanted, Workload(command="python train.py"))
                rental = await market.reads.rental(job.id)
                assert await agent.order(rental) is None

                async def is_known() -> bool:
                    return not market.session.open_orders

                async with aclosing(market.jobs.watch(job.id)) as states:
                    assert await anext(states)
                    await until(is_known)
                await api.deliver(SealedOrder.signed(Wallet(Keypair()), bytes(32), b"another stranger's"))
                document = await agent.order(rental)
                assert document is not None and document.command == "python train.py"
                await market.rental.stop(job.id)
