from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction

from anchor_client.generated.pdas import find_meter
from indexer.main import serve
from indexer.models import SeqGap
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from localnet.server import LocalCluster
from tests.indexer.meters import report
from tests.indexer.service import indexed, until, until_status
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.markets.spec import SPEC
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.program.harness import charges
from tests.program.harness.actors import GPUM
from tests.program.harness.changes import TERMS
from tests.program.harness.flows import opened, running
from tests.program.harness.keys import keypair_of
from tests.program.harness.market import WALLET_TOKENS
from tests.program.harness.spot import held
from tests.program.harness.terms import HOUR
from tests.program.harness.tokens import put_tokens
from tests.sweeps import sampled

ORDER_HASH = "ab" * 32
H100 = "nvidia-h100-pcie-80gb"
VAULTS = sum(terms.shards for terms in TERMS.values())


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'index.db'}"


async def test_serve__rental_on_a_live_cluster__reaches_the_api_and_reconciles(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = live.renter()
    async with indexed(local, url(tmp_path)) as api:
        rental = running(live, renter, listing=live.listings[0], duration=HOUR)
        live.pass_time(600)
        live.act(live.stop_rental(rental))
        job: Any = await until_status(api, str(rental), "completed")
        assert int(job["cost"]) == WALLET_TOKENS - live.tokens(renter, GPUM)

        async def reconciled() -> bool:
            answer = await api.get("/health")
            return answer.status_code == 200 and len(answer.json()["reconciliation"]) == VAULTS

        await until(reconciled)
        gpus = (await api.get("/api/gpus")).json()["gpus"]
        assert [(gpu["id"], gpu["available"]) for gpu in gpus if gpu["listed"]] == [(H100, 1)]


async def test_serve__restarted__goes_on_where_it_was(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    renter = live.renter()
    async with indexed(local, url(tmp_path)) as api:
        rental = opened(live, renter, listing=live.listings[0])
        await until_status(api, str(rental), "queued")
    live.act(live.accept_rental(rental))
    live.act(live.start_rental(rental))
    live.pass_time(300)
    async with indexed(local, url(tmp_path)) as api:
        await until_status(api, str(rental), "running")
        live.act(live.stop_rental(rental))
        job: Any = await until_status(api, str(rental), "completed")
    assert [state["status"] for state in job["history"]] == ["queued", "provisioning", "running", "completed"]
    engine = open_database(url(tmp_path))
    assert rows_of(engine, SeqGap) == []
    assert len(contents(engine)["raw_event"]) > 10
    engine.dispose()


async def test_order__signed_by_its_renter__opens_the_job_and_stop_ends_it(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = live.wallet()
    async with indexed(local, url(tmp_path)) as api:
        order = (await api.post("/api/jobs", json=request(renter, gpu=H100))).json()
        sign_and_send(local, order, renter)
        job: Any = await until_status(api, order["address"], "queued")
        assert (job["deposit"], job["order_hash"], job["listing"]) == (order["deposit"], ORDER_HASH, order["listing"])
        path, renters = f"/api/jobs/{order['address']}/stop", {"wallet": str(renter)}
        stop = (await api.post(path, json=renters)).json()
        sign_and_send(local, stop, renter)
        ended: Any = await until_status(api, order["address"], "cancelled")
        assert (ended["cost"], ended["refunded"]) == ("0", order["deposit"])
        assert live.tokens(renter, GPUM) == WALLET_TOKENS

        async def gone() -> bool:
            answer = await api.post(path, json=renters)
            return (answer.status_code, answer.json()["error"]) == (404, "unknown_job")

        await until(gone)


async def test_order__a_bid__waits_for_its_machine_and_stop_takes_it_back(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    listing, renter = live.listings[0], live.renter()
    held(live, live.renter(), listing=listing)
    bid = request(renter, kind="spot", listing=str(listing), duration=4 * HOUR, bid_usd=2_300_000)
    async with indexed(local, url(tmp_path)) as api:
        order = (await api.post("/api/jobs", json=bid)).json()
        sign_and_send(local, order, renter)
        job: Any = await until_status(api, order["address"], "queued")
        assert (job["kind"], job["rate_usd"]) == ("spot", 2_300_000)
        book = (await api.get(f"/api/marketplace/listings/{listing}/spot")).json()
        assert book["challenger"]["job"] == order["address"]
        live.pass_time(1)
        stop = await api.post(f"/api/jobs/{order['address']}/stop", json={"wallet": str(renter)})
        sign_and_send(local, stop.json(), renter)
        ended: Any = await until_status(api, order["address"], "cancelled")
        assert ended["cost"] == ended["compensation"] != "0"
        assert ended["close_reason"] == "withdrawn"


async def test_order__capped_charges__are_disputed_and_accepted_by_the_renter(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    renter = live.renter()
    live.act(charges.set_charges())
    async with indexed(local, url(tmp_path)) as api:
        capped = request(renter, gpu=H100, max_charges="5000000", storage_gb=10)
        order = (await api.post("/api/jobs", json=capped)).json()
        sign_and_send(local, order, renter)
        await until_status(api, order["address"], "queued")
        path = f"/api/jobs/{order['address']}/charges"
        renters = {"wallet": str(renter)}
        nothing = await api.post(f"{path}/dispute", json=renters)
        assert (nothing.status_code, nothing.json()["error"]) == (409, "nothing_to_dispute")
        rental = Pubkey.from_string(order["address"])
        live.act(live.accept_rental(rental), live.start_rental(rental))
        meter = find_meter(rental)[0]
        report(live, meter, 2_000)
        for answer in ("dispute", "accept"):
            sign_and_send(local, (await api.post(f"{path}/{answer}", json=renters)).json(), renter)

        async def accepted() -> bool:
            return (await api.get(path)).json()["accepted"] != "0"

        await until(accepted)
        told = (await api.get(path)).json()
        assert (told["cap"], told["storage_gb"]) == ("5000000", 10)
        assert told["accepted"] == str(charges.read(live, meter).accepted)
        missing = await api.post(f"/api/jobs/{live.listings[0]}/charges/accept", json=renters)
        assert (missing.status_code, missing.json()["error"]) == (404, "unknown_meter")


@pytest.mark.parametrize(
    ("change", "status", "error"),
    sampled(
        [
            ({"gpu": "abacus"}, 400, "unknown_gpu"),
            ({"region": "ap-south"}, 409, "nothing_available"),
            ({"duration": 59}, 409, "duration_too_short"),
            ({"pay": "XYZ"}, 404, "unknown_payment_token"),
            ({"kind": "spot", "bid_usd": SPEC.spot_min_usd - 1}, 409, "nothing_available"),
            ({"bid_usd": 1}, 409, "invalid_bid"),
            ({"max_cost": "1"}, 409, "cost_above_maximum"),
            ({"listing": "So11111111111111111111111111111111111111112"}, 404, "unknown_listing"),
            ({"wallet": "me"}, 422, "invalid_request"),
            ({"order_hash": "00"}, 422, "invalid_request"),
            ({"duration": 80 * 24 * HOUR}, 409, "insufficient_balance"),
        ],
        every=4,
    ),
)
async def test_order__refused__names_the_reason_and_the_remedy(
    local: LocalCluster, live: Market, tmp_path: Path, change: dict[str, Any], status: int, error: str
) -> None:
    renter = live.renter()
    put_tokens(live.recorder, GPUM, renter, 10**9)
    async with indexed(local, url(tmp_path)) as api:
        answer = await api.post("/api/jobs", json=request(renter, **change))
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert answer.json()["remedy"] and answer.json()["detail"]


async def test_serve__port_taken__is_an_error(local: LocalCluster, tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        settings = IndexerSettings(rpc_url=local.http_url, database_url=url(tmp_path), port=holder.getsockname()[1])
        with pytest.raises(OSError, match="in use"):
            await serve(settings)


@pytest.mark.exhaustive
async def test_indexer__terminated__exits_clean_and_keeps_the_index(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    port = free_ports()
    environment = os.environ | {
        "GPU_MARKET_RPC_URL": local.http_url,
        "GPU_MARKET_WS_URL": local.ws_url,
        "GPU_MARKET_DATABASE_URL": url(tmp_path),
        "GPU_MARKET_PORT": str(port),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    command = "from market_cli.main import run; run()"
    service = await asyncio.create_subprocess_exec(
        sys.executable, "-c", command, "indexer", env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:

        async def healthy() -> bool:
            try:
                async with httpx.AsyncClient(timeout=PATIENCE) as client:
                    return (await client.get(f"http://127.0.0.1:{port}/health")).status_code == 200
            except httpx.TransportError:
                return False

        await until(healthy, seconds=90)
        service.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
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


def request(renter: Pubkey, **change: Any) -> dict[str, Any]:
    return {"wallet": str(renter), "duration": HOUR, "order_hash": ORDER_HASH} | change


def sign_and_send(local: LocalCluster, answer: dict[str, Any], wallet: Pubkey) -> None:
    unsigned = VersionedTransaction.from_bytes(base64.b64decode(answer["transaction"]))
    assert unsigned.message.account_keys[0] == wallet
    record = local.cluster.execute(VersionedTransaction(unsigned.message, [keypair_of(wallet)]))
    assert record.err is None, record.meta["logMessages"]
