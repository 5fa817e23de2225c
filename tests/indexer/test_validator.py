"""The indexer against Agave's own validator: what passes on the embedded cluster passes on the real thing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xprocess import XProcess

from anchor_client.market import RentalWanted
from anchor_client.orders import Workload
from tests.indexer.service import indexed, until, until_status
from tests.markets.cluster import Cluster
from tests.markets.marketplace import H100, Marketplace, one_host
from tests.processes.validator import running

FINALITY_SECONDS = 240

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


@pytest.fixture(scope="module")
def validator(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A seeded market on a validator."""
    keys, ledger = one_host(), tmp_path_factory.mktemp("ledger")
    with running(xprocess, ledger, upgrade_authority=keys.authority.pubkey()) as node:
        market = Marketplace(Cluster(node.http_url, node.ws_url), keys)
        asyncio.run(market.seed())
        yield SimpleNamespace(http_url=node.http_url, ws_url=node.ws_url, marketplace=market)


async def test_serve__rental_on_a_validator__reaches_the_api_and_reconciles(
    validator: SimpleNamespace, tmp_path: Path
) -> None:
    marketplace: Marketplace = validator.marketplace
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(
            RentalWanted(gpu=H100, duration=3_600, pay="GPUM"), Workload(command="python train.py")
        )
        await marketplace.run(job.id)
        ended = await market.rental.stop(job.id)
    async with indexed(validator, f"sqlite:///{tmp_path / 'index.db'}") as api:
        found: Any = await until_status(api, str(job.id), "completed", seconds=FINALITY_SECONDS)
        amounts = {name: int(found[name]) for name in ("cost", "burned", "refunded", "host_paid", "fees")}
        assert amounts == {name: getattr(ended, name) for name in amounts}
        assert (found["open_tx"], found["close_tx"]) == (str(job.open_tx), str(ended.close_tx))

        async def proven() -> bool:
            health = await api.get("/health")
            return health.status_code == 200 and len(health.json()["reconciliation"]) > 0

        await until(proven, seconds=FINALITY_SECONDS)
