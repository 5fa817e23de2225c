"""Metrics of services: on a port of their own, summed over processes, and true while a look hangs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.service.monitoring import MetricsUnserved, serve_metrics
from anchor_client.solana.slots import USUAL_SLOT_SECONDS
from indexer.api.main import create_app
from indexer.api.workers.master import answer
from indexer.api.workers.metrics import summed
from indexer.index.lag import Lag
from indexer.metrics import API, INDEX
from indexer.settings import IndexerSettings
from indexer.status import Status
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.deploy.test_alerts import told_as_gone
from tests.indexer.service import indexed, metrics_of, until, until_status
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.program.harness.flows import running

ANSWERED = 'gpu_market_api_request_seconds_count{route="/api/gpus",status="200"}'

COMPLETE_SLOT = "gpu_market_indexer_complete_slot"
LAG_SLOTS = "gpu_market_indexer_lag_slots"
LAG_SECONDS = "gpu_market_indexer_lag_seconds"
HOUR_MS = 3_600_000


class Behind:
    """A cluster's PubSub, and its RPC behind a proxy."""

    def __init__(self, http_url: str, ws_url: str) -> None:
        self.http_url, self.ws_url = http_url, ws_url


@asynccontextmanager
async def indexed_behind(
    local: LocalCluster, live: Market, tmp_path: Path
) -> AsyncIterator[tuple[Proxy, httpx.AsyncClient, Pubkey]]:
    """A proxy of the node, an index behind it, and a running rental that it knows."""
    async with (
        Proxy(local.http_url) as proxy,
        indexed(Behind(proxy.url, local.ws_url), f"sqlite:///{tmp_path / 'index.db'}") as api,
    ):
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running")
        yield proxy, api, rental


def value(text: str, name: str) -> float:
    [line] = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(line.rpartition(" ")[2])


@pytest.mark.exhaustive
async def test_metrics__two_workers__are_summed_and_not_on_the_api(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", workers=2) as api:
        clients = [httpx.AsyncClient(base_url=api.base_url, timeout=PATIENCE) for _ in range(20)]
        await asyncio.gather(*(client.get("/api/gpus") for client in clients))
        assert value(await metrics_of(api), ANSWERED) == 20
        assert value(await metrics_of(api), ANSWERED) == 20
        assert (await api.get("/metrics")).status_code == 404
        for client in clients:
            await client.aclose()


async def until_all_are_told(api: httpx.AsyncClient, job: str) -> None:
    """Waits until a service tells every metric whose absence is an alert."""
    used = {metric for each, metric in told_as_gone() if each == job}

    async def is_told() -> bool:
        families = text_string_to_metric_families(await metrics_of(api))
        return used <= {sample.name for family in families for sample in family.samples}

    await until(is_told)


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
async def test_metrics__nobody_has_asked_for_anything__all_that_alerts_go_by_are_told(
    local: LocalCluster, tmp_path: Path, workers: int
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", workers=workers) as api:
        await until_all_are_told(api, "gpu-market-indexer")


@pytest.mark.exhaustive
async def test_metrics__of_an_api_alone__are_its_workers(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'index.db'}"
    async with indexed(local, database):
        port = free_ports(2)
        settings = IndexerSettings(
            rpc_url=local.http_url, database_url=database, port=port, metrics_port=port + 1, workers=2
        )
        ready = asyncio.Event()
        alone = asyncio.create_task(answer(settings, ready=ready.set))
        async with asyncio.timeout(60), httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as api:
            await ready.wait()
            await until_all_are_told(api, "gpu-market-api")
            await api.get("/api/gpus")
            text = await metrics_of(api)
        alone.cancel()
        await asyncio.wait([alone])
    assert value(text, ANSWERED) == 1
    assert "gpu_market_indexer_lag_seconds" not in text


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/gpus"), ("HEAD", "/api/gpus"), ("HEAD", "/api/nothing")])
def test_metrics__request_answered__counts_once_under_its_route(sqlite_engine: Engine, method: str, path: str) -> None:
    def counted() -> float:
        route, status = (path, "200") if path == "/api/gpus" else ("unmatched", "404")
        name = "gpu_market_api_request_seconds_count"
        return API.get_sample_value(name, {"route": route, "status": status}) or 0

    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine)) as api:
        before = counted()
        api.request(method, path)
    assert counted() == before + 1


@pytest.mark.exhaustive
async def test_metrics__look_that_hangs__lag_grows_with_the_chain(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed_behind(local, live, tmp_path) as (proxy, api, rental):
        with proxy.holding("getSignaturesForAddress"):
            calls = proxy.calls["getSignaturesForAddress"]
            live.act(live.stop_rental(rental))
            await proxy.called("getSignaturesForAddress", calls + 1)
            before = await metrics_of(api)

            async def grown() -> bool:
                return value(await metrics_of(api), LAG_SLOTS) > value(before, LAG_SLOTS) + 60

            await until(grown, seconds=12)
            after = await metrics_of(api)
    assert value(after, COMPLETE_SLOT) == value(before, COMPLETE_SLOT)
    assert value(after, "gpu_market_indexer_lag_seconds") > value(before, "gpu_market_indexer_lag_seconds")


async def test_metrics__notified_while_a_look_hangs__wait(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    async with indexed_behind(local, live, tmp_path) as (proxy, api, rental):
        with proxy.holding("getSignaturesForAddress"):
            calls = proxy.calls["getSignaturesForAddress"]
            live.act(live.settle_rental(rental))
            await proxy.called("getSignaturesForAddress", calls + 1)
            live.act(live.stop_rental(rental))

            async def waiting() -> bool:
                return value(await metrics_of(api), "gpu_market_indexer_notifications_waiting") > 0

            await until(waiting)
        await until_status(api, str(rental), "completed")

        async def answered() -> bool:
            return value(await metrics_of(api), "gpu_market_indexer_notifications_waiting") == 0

        await until(answered)
        text = await metrics_of(api)
    assert value(text, "gpu_market_indexer_transactions_waiting") == 0
    assert value(text, 'gpu_market_indexer_handled_total{event="RentalClosed"}') >= 1
    assert value(text, 'gpu_market_indexer_handler_seconds_total{event="RentalClosed"}') > 0
    assert value(text, "gpu_market_indexer_write_seconds_sum") > 0


def test_lag__nothing_told_for_a_while__grows_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    status = Status()
    status.saw_head(1_000, 1_700_000_000, None)
    status.completed(1_000)
    lag = Lag(status, lambda: 0)

    def told() -> dict[str, float]:
        return {family.name: family.samples[0].value for family in lag.collect()}

    monkeypatch.setattr(time, "monotonic", lambda: now + 100 * USUAL_SLOT_SECONDS)
    assert 100 <= told()["gpu_market_indexer_lag_slots"] <= 101
    status.heard_slot(1_050)
    assert told()["gpu_market_indexer_lag_slots"] == 50
    status.heard_slot(900)
    assert told()["gpu_market_indexer_lag_slots"] == 50


async def test_lag__node_stands_still__grows_though_each_read_succeeds(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    async with LocalCluster(slot_ms=HOUR_MS) as still, indexed(still, url, idle_interval=0.2) as api:
        still.cluster.warp(1)

        async def is_told() -> bool:
            text = await metrics_of(api)
            return value(text, LAG_SLOTS) > 10 and value(text, LAG_SECONDS) < 5 * USUAL_SLOT_SECONDS

        await until(is_told)
        assert (await api.get("/health")).json()["last_error"] is None


def test_summed__counters_add_up_and_gauges_give_the_greatest() -> None:
    texts = [
        '# TYPE a_total counter\na_total{k="x"} 1.0\n# TYPE g gauge\ng 5.0\n',
        '# TYPE a_total counter\na_total{k="x"} 2.0\na_total{k="y"} 4.0\n# TYPE g gauge\ng 3.0\n',
        "",
    ]
    families: dict[str, Metric] = {family.name: family for family in summed(texts)}
    assert {(*sample.labels.values(), sample.value) for sample in families["a"].samples} == {("x", 3.0), ("y", 4.0)}
    assert [sample.value for sample in families["g"].samples] == [5.0]


def test_serve_metrics__port_taken_or_address_of_another__is_told() -> None:
    port = free_ports()
    with serve_metrics([INDEX], "127.0.0.1", port):
        with pytest.raises(MetricsUnserved, match=f"port {port}"), serve_metrics([INDEX], "127.0.0.1", port):
            pytest.fail("it is served")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            assert [client.get(path).status_code for path in ("/metrics", "/health", "/")] == [200, 404, 404]
    with pytest.raises(MetricsUnserved), serve_metrics([INDEX], "192.0.2.1", port):
        pytest.fail("it is served")
