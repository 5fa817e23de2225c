"""Nodes as providers run them: a rental from order to end, and the index of it compared with the chain."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from anchor_client.market import JobState, RentalWanted
from indexer.index.proof.maintenance import verify
from indexer.index.sources import history
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from local_market.program import add_market_program
from localnet import quirks
from localnet.quirks import NAMES
from localnet.server import LocalCluster
from tests.indexer.service import indexed, until, until_status
from tests.markets.cluster import Cluster
from tests.markets.marketplace import H100, Marketplace, one_host
from tests.processes.patience import PATIENCE

HOUR = 3_600
FINALITY_SLOTS = 2
SLOT_MS = 100
PAGE = 7
"""Signatures that the index asks for at once, so that its history has many pages."""
ORDER_HASH = bytes(range(32))


class Asked(Cluster):
    """A cluster that is asked again where it refuses a call for its rate."""

    async def call(self, method: str, *params: Any) -> Any:
        """One JSON-RPC call."""
        try:
            return await super().call(method, *params)
        except AssertionError:
            return await super().call(method, *params)


@pytest.mark.parametrize("names", [*((name,) for name in NAMES), NAMES], ids=lambda names: "+".join(names)[:30])
async def test_rental__node_with_the_habits_of_providers__is_rented_extended_stopped_and_indexed(
    names: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", PAGE)
    local = LocalCluster(finality_lag=FINALITY_SLOTS, slot_ms=SLOT_MS, quirks=names)
    keys = one_host()
    add_market_program(local, keys.authority.pubkey())
    database = f"sqlite:///{tmp_path / 'index.db'}"
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(local)
        market = Marketplace(Asked(local.http_url, local.ws_url), keys)
        await market.seed()
        seeded = local.cluster.slot

        async def is_final() -> bool:
            return local.cluster.finalized_slot >= seeded

        await until(is_final)  # a replica is as far behind, and a client that has sent nothing reads from it
        api = await stack.enter_async_context(indexed(local, database))
        renter = await stack.enter_async_context(market.market(await market.renter()))
        job = await renter.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="GPUM", order_hash=ORDER_HASH))
        await market.run(job.id)
        await renter.rental.extend(job.id, HOUR)
        async with asyncio.timeout(PATIENCE):
            while (await renter.jobs.get(job.id)).duration != 2 * HOUR:
                continue  # a replica may be behind
        ended = await renter.rental.stop(job.id)
        assert ended.status is JobState.COMPLETED
        told = await until_status(api, str(job.id), ended.status.value)
        assert told["cost"] == str(ended.cost)
        settings = IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, database_url=database)
        engine = open_database(database)
        found = await verify(settings, engine)
        monkeypatch.setattr(quirks, "KEPT_SLOTS", 0)  # what a node forgets later stays known
        found_later = await verify(settings, engine)
        engine.dispose()
    assert found.problems == found_later.problems == []
