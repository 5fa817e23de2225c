"""A simulated host and the orders of its rentals."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.errors import UnreachableApi
from anchor_client.generated.events import RentalAccepted
from anchor_client.market import JobState, Market
from anchor_client.orders import OrderParts, SealedOrder
from anchor_client.sealing import Connection
from localnet.market.clock import ClusterClock
from localnet.market.host import SimulatedHost
from tests.e2e.seeded import SeededCluster

GPU = "nvidia-h100-pcie-80gb"


class _LatePost:
    """Cannot be reached for as long as `up` is false."""

    def __init__(self) -> None:
        self.up = False
        self.delivered: list[SealedOrder] = []

    async def deliver(self, order: SealedOrder) -> None:
        self.delivered.append(order)

    async def find(self, renter: Pubkey, spec_hash: bytes) -> bytes | None:
        if not self.up:
            raise UnreachableApi("The API cannot be reached")
        [order] = self.delivered
        return order.sealed if (order.renter, order.spec_hash) == (renter, spec_hash) else None


async def test_serve__api_unreachable__rental_waits_until_it_answers(seeded_cluster: SeededCluster) -> None:
    local, keys, post = seeded_cluster.local, seeded_cluster.keys, _LatePost()
    tokens = seeded_cluster.seeded.tokens.by_symbol()
    async with Market.connect(
        local.http_url, keys.renter, ws_url=local.ws_url, tokens=tokens, deliver_order=post.deliver
    ) as market:
        clock = ClusterClock(market.reads.program, local.ws_url)
        host = SimulatedHost(market, local.ws_url, "eu-west", keys.hosts["eu-west"], clock, orders=post)
        await market.signing_as(keys.hosts["eu-west"].wallet).heartbeat()
        job = await market.rent(gpu=GPU, region="eu-west", duration=6 * 3_600, pay="USDC", order=OrderParts())
        await host.serve()
        assert (await market.jobs.get(job.id)).state is JobState.QUEUED
        post.up = True
        await host.serve()
        assert (await market.jobs.get(job.id)).state is JobState.PROVISIONING
        events = [item.event for item in await market.history.events(job.id)]
        [accepted] = [event for event in events if isinstance(event, RentalAccepted)]
        key = market.order_keys.find(job.spec_hash)
        assert key is not None and Connection.opened(accepted.connection, key).host == "eu-west.localnet"
