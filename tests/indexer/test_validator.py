"""The indexer against Agave's own validator: what passes on the embedded cluster passes on the real thing."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from solders.keypair import Keypair
from xprocess import ProcessStarter, XProcess

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.orders import OrderParts
from tests.client.cluster import Cluster
from tests.client.conftest import PROGRAM
from tests.client.marketplace import H100, Marketplace
from tests.indexer.service import indexed, until, until_status
from tests.ports import free_ports

VALIDATOR = "solana-test-validator"
VALIDATOR_CACHE = Path.home() / ".cache/gpu-market/agave-4.2.2/bin"
FINALITY_SECONDS = 90
PORTS = 60

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


@pytest.fixture(scope="module")
def validator(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A seeded market on a validator; skipped where there is none, but not in CI."""
    binary = shutil.which(VALIDATOR) or shutil.which(VALIDATOR, path=str(VALIDATOR_CACHE))
    if binary is None:
        reason = f"{VALIDATOR} is neither on PATH nor in {VALIDATOR_CACHE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    authority, port, ledger = Keypair(), free_ports(PORTS), tmp_path_factory.mktemp("ledger")

    class Starter(ProcessStarter):  # type: ignore[misc]
        pattern = "Waiting for first slot 3"
        timeout = 60
        max_read_lines = 10_000
        terminate_on_interrupt = True
        args: ClassVar = [
            *(binary, "--quiet", "--ledger", str(ledger), "--limit-ledger-size", "10000"),
            *("--rpc-port", str(port), "--faucet-port", str(port + 2), "--gossip-port", str(port + 3)),
            *("--dynamic-port-range", f"{port + 4}-{port + PORTS - 1}"),
            *("--upgradeable-program", str(PROGRAM_ID), str(PROGRAM), str(authority.pubkey())),
        ]

    name = f"indexer-validator-{port}"
    xprocess.ensure(name, Starter)
    http, ws = f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port + 1}"
    market = Marketplace(Cluster(http, ws), authority)
    asyncio.run(market.seed())
    yield SimpleNamespace(http_url=http, ws_url=ws, marketplace=market)
    xprocess.getinfo(name).terminate()


async def test_serve__rental_on_a_validator__reaches_the_api_and_reconciles(
    validator: SimpleNamespace, tmp_path: Path
) -> None:
    marketplace: Marketplace = validator.marketplace
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rent(gpu=H100, duration=3_600, pay="GPUM", order=OrderParts(command="python train.py"))
        await marketplace.run(job.id)
        ended = await market.stop(job.id)
    async with indexed(validator, f"sqlite:///{tmp_path / 'index.db'}") as api:
        found: Any = await until_status(api, str(job.id), "completed", seconds=FINALITY_SECONDS)
        amounts = {name: int(found[name]) for name in ("cost", "burned", "refunded", "host_paid", "fees")}
        assert amounts == {name: getattr(ended, name) for name in amounts}
        assert (found["open_tx"], found["close_tx"]) == (str(job.open_tx), str(ended.end_tx))

        async def proven() -> bool:
            health = await api.get("/health")
            return health.status_code == 200 and len(health.json()["reconciliation"]) > 0

        await until(proven, seconds=FINALITY_SECONDS)
