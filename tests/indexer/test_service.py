from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from indexer.database import open_database
from indexer.main import serve
from indexer.models import SeqGap
from indexer.settings import Settings
from localnet.server import LocalCluster
from tests.indexer.meters import Metered, charge
from tests.indexer.service import indexed, until, until_status
from tests.indexer.spot import run_spot, spot_machine
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import HOUR, SOL, Market, Renter
from tests.processes.ports import free_ports

ORDER_HASH = "ab" * 32
H100 = "nvidia-h100-pcie-80gb"


@pytest.fixture
async def local() -> AsyncIterator[LocalCluster]:
    async with LocalCluster(slot_ms=100) as running:
        yield running


@pytest.fixture
def live(local: LocalCluster) -> Market:
    """An open market with one H100 on a cluster that is served."""
    market = Market(local.cluster)
    market.open()
    market.list_machine()
    return market


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'index.db'}"


async def test_serve__rental_on_a_live_cluster__reaches_the_api_and_reconciles(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = live.renter()
    async with indexed(local, url(tmp_path)) as api:
        rental = live.run(renter, live.listings[0], duration=HOUR)
        live.pass_time(600)
        live.stop(renter, rental)
        job: Any = await until_status(api, str(rental), "completed")
        assert int(job["cost"]) == 10**12 - live.balance(renter.address, live.gpum)

        async def reconciled() -> bool:
            answer = await api.get("/health")
            return answer.status_code == 200 and len(answer.json()["reconciliation"]) == 2

        await until(reconciled)
        gpus = (await api.get("/api/gpus")).json()["gpus"]
        assert [(gpu["id"], gpu["available"]) for gpu in gpus if gpu["listed"]] == [(H100, 1)]


async def test_serve__restarted__goes_on_where_it_was(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    renter = live.renter()
    async with indexed(local, url(tmp_path)) as api:
        rental = live.open_rental(renter, live.listings[0])
        await until_status(api, str(rental), "queued")
    live.accept(rental)
    live.start(rental)
    live.pass_time(300)
    async with indexed(local, url(tmp_path)) as api:
        await until_status(api, str(rental), "running")
        live.stop(renter, rental)
        job: Any = await until_status(api, str(rental), "completed")
    assert [state["status"] for state in job["history"]] == ["queued", "provisioning", "running", "completed"]
    engine = open_database(url(tmp_path))
    assert rows_of(engine, SeqGap) == []
    assert len(contents(engine)["raw_event"]) > 10
    engine.dispose()


async def test_order__signed_by_its_renter__opens_the_job_and_delete_stops_it(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = Renter()
    local.cluster.airdrop(renter.address, 10 * SOL)
    live.give(renter.address, live.gpum, 10**12)
    async with indexed(local, url(tmp_path)) as api:
        order = (await api.post("/api/jobs", json=request(renter, gpu=H100))).json()
        sign_and_send(local, order, renter.key)
        job: Any = await until_status(api, order["job"], "queued")
        assert (job["deposit"], job["order_hash"], job["listing"]) == (order["deposit"], ORDER_HASH, order["listing"])
        stop = (await api.delete(f"/api/jobs/{order['job']}")).json()
        sign_and_send(local, stop, renter.key)
        ended: Any = await until_status(api, order["job"], "cancelled")
        assert (ended["cost"], ended["refunded"]) == ("0", order["deposit"])
        assert live.balance(renter.address, live.gpum) == 10**12
        gone = await api.delete(f"/api/jobs/{order['job']}")
        assert (gone.status_code, gone.json()["error"]) == (404, "unknown_job")


async def test_order__a_bid__waits_for_its_machine_and_delete_takes_it_back(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    listing, renter = spot_machine(live), live.renter()
    run_spot(live, live.renter(), listing, 2_000_000)
    bid = request(renter, kind="spot", listing=str(listing), duration=4 * HOUR, bid_usd=2_300_000)
    async with indexed(local, url(tmp_path)) as api:
        order = (await api.post("/api/jobs", json=bid)).json()
        sign_and_send(local, order, renter.key)
        job: Any = await until_status(api, order["job"], "queued")
        assert (job["kind"], job["rate_usd"]) == ("spot", 2_300_000)
        book = (await api.get(f"/api/marketplace/listings/{listing}/spot")).json()
        assert book["challenger"]["job"] == order["job"]
        sign_and_send(local, (await api.delete(f"/api/jobs/{order['job']}")).json(), renter.key)
        ended: Any = await until_status(api, order["job"], "cancelled")
        assert (ended["cost"], ended["close_reason"]) == ("0", "withdrawn")


async def test_order__capped_charges__are_disputed_and_accepted_by_the_renter(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = live.renter()
    charge(live, live.listings[0])
    async with indexed(local, url(tmp_path)) as api:
        capped = request(renter, gpu=H100, max_charges="5000000", storage_gb=10)
        order = (await api.post("/api/jobs", json=capped)).json()
        sign_and_send(local, order, renter.key)
        await until_status(api, order["job"], "queued")
        path = f"/api/jobs/{order['job']}/charges"
        nothing = await api.post(f"{path}/dispute")
        assert (nothing.status_code, nothing.json()["error"]) == (409, "nothing_to_dispute")
        meter = Metered(live, renter, Pubkey.from_string(order["job"]))
        meter.report(3_000)
        for answer in ("dispute", "accept"):
            sign_and_send(local, (await api.post(f"{path}/{answer}")).json(), renter.key)

        async def accepted() -> bool:
            return (await api.get(path)).json()["accepted"] != "0"

        await until(accepted)
        charges = (await api.get(path)).json()
        assert (charges["cap"], charges["storage_gb"]) == ("5000000", 10)
        assert charges["accepted"] == str(meter.account().accepted)
        missing = await api.post(f"/api/jobs/{live.listings[0]}/charges/accept")
        assert (missing.status_code, missing.json()["error"]) == (404, "unknown_meter")


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"gpu": "abacus"}, 400, "unknown_gpu"),
        ({"region": "ap-south"}, 409, "nothing_available"),
        ({"duration": 59}, 409, "duration_too_short"),
        ({"pay": "XYZ"}, 400, "unknown_payment_token"),
        ({"kind": "spot"}, 409, "nothing_available"),
        ({"bid_usd": 1}, 409, "invalid_bid"),
        ({"max_cost": "1"}, 409, "cost_above_maximum"),
        ({"listing": "So11111111111111111111111111111111111111112"}, 404, "unknown_listing"),
        ({"renter": "me"}, 422, "invalid_request"),
        ({"order_hash": "00"}, 422, "invalid_request"),
        ({"duration": 80 * 24 * HOUR}, 409, "insufficient_balance"),
    ],
)
async def test_order__refused__names_the_reason_and_the_remedy(
    local: LocalCluster, live: Market, tmp_path: Path, change: dict[str, Any], status: int, error: str
) -> None:
    renter = live.renter(tokens=10**9)
    async with indexed(local, url(tmp_path)) as api:
        answer = await api.post("/api/jobs", json=request(renter, **change))
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["remedy"] and answer.json()["message"]


async def test_serve__port_taken__is_an_error(local: LocalCluster, tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        settings = Settings(rpc_url=local.http_url, database_url=url(tmp_path), port=holder.getsockname()[1])
        with pytest.raises(OSError, match="in use"):
            await serve(settings)


async def test_run__terminated__exits_clean_and_keeps_the_index(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    port = free_ports()
    environment = os.environ | {
        "GPU_MARKET_RPC_URL": local.http_url,
        "GPU_MARKET_WS_URL": local.ws_url,
        "GPU_MARKET_DATABASE_URL": url(tmp_path),
        "GPU_MARKET_PORT": str(port),
    }
    command = "from indexer.main import run; from indexer.settings import Settings; run(Settings())"
    service = await asyncio.create_subprocess_exec(
        sys.executable, "-c", command, env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:

        async def healthy() -> bool:
            try:
                async with httpx.AsyncClient() as client:
                    return (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200
            except httpx.TransportError:
                return False

        await until(healthy, seconds=40)
        service.send_signal(signal.SIGTERM)
        async with asyncio.timeout(15):
            _, errors = await service.communicate()
    finally:
        if service.returncode is None:
            service.kill()
            await service.wait()
    assert service.returncode == 0
    assert b"Traceback" not in errors
    engine = open_database(url(tmp_path))
    assert len(contents(engine)["listing"]) == 1
    engine.dispose()


def request(wallet: Renter, **change: Any) -> dict[str, Any]:
    return {"renter": str(wallet.address), "duration": HOUR, "order_hash": ORDER_HASH} | change


def sign_and_send(local: LocalCluster, answer: dict[str, Any], key: Keypair) -> None:
    unsigned = VersionedTransaction.from_bytes(base64.b64decode(answer["transaction"]))
    assert unsigned.message.account_keys[0] == key.pubkey()
    record = local.cluster.execute(VersionedTransaction(unsigned.message, [key]))
    assert record.err is None, record.meta["logMessages"]
