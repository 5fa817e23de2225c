"""The API in processes of its own: told of every change, shared out, and never alone."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from asyncio.subprocess import Process
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from sqlalchemy import Engine, make_url, text

from anchor_client.service.listening import listen
from indexer.accounts.database import migrate_all
from indexer.api.workers import master
from indexer.api.workers.master import WorkerEnded, answer, share_of, working
from indexer.main import serve
from indexer.settings import IndexerSettings
from indexer.store.database import begin_writing, open_database
from localnet.server import LocalCluster
from tests.indexer.databases import ON_POSTGRES, POSTGRES, SQLITE
from tests.indexer.service import indexed, metrics_of, until, until_status
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.program.harness.flows import running


def workers() -> list[psutil.Process]:
    """Those that run; what other tests have left unreaped has no command line any more."""
    running = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in running if "indexer.api.workers.worker" in " ".join(child.cmdline())]


@pytest.mark.exhaustive
async def test_serve__two_workers__answer_from_one_index(local: LocalCluster, live: Market, tmp_path: Path) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", workers=2) as api:
        assert len(workers()) == 2
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running")
        live.act(live.stop_rental(rental))
        await until_status(api, str(rental), "completed")

        async def healthy() -> bool:
            return (await api.get("/health")).status_code == 200

        await until(healthy)
        health: Any = (await api.get("/health")).json()
        assert health["head_slot"] >= health["complete_slot"] >= health["cursor_slot"] > 0
        metrics = await metrics_of(api)
        assert 'gpu_market_indexer_events_total{event="RentalClosed"}' in metrics
        assert "gpu_market_api_request_seconds_count" in metrics
        assert {'gpu_market_rpc_requests_total{client="index"', 'gpu_market_rpc_seconds_count{client="index"'} <= {
            line.partition(",")[0] for line in metrics.splitlines()
        }
        introduced = [line for line in metrics.splitlines() if line.startswith("# TYPE ")]
        assert len(introduced) == len(set(introduced)) > 20
    assert workers() == []


async def test_serve__module_of_a_library_s_name_where_it_is_started__is_not_run(
    local: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("msgspec", "redis", "uvicorn"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", workers=1) as api:
        assert (await api.get("/api/market")).status_code in (200, 404)
    assert not (tmp_path / "ran").exists()


@pytest.mark.exhaustive
async def test_serve__worker_killed__ends_with_what_happened(local: LocalCluster, tmp_path: Path) -> None:
    settings = IndexerSettings(
        rpc_url=local.http_url,
        ws_url=local.ws_url,
        database_url=f"sqlite:///{tmp_path / 'index.db'}",
        port=free_ports(),
        workers=2,
    )
    ready = asyncio.Event()
    service = asyncio.create_task(serve(settings, ready=ready.set))
    async with asyncio.timeout(60):
        await ready.wait()
        os.kill(workers()[0].pid, signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="-9"):
            await service
    assert workers() == []


@pytest.mark.exhaustive
async def test_answer__index_kept_by_another_service__says_the_same(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'index.db'}"
    async with indexed(local, database) as keeping:
        settings = IndexerSettings(rpc_url=local.http_url, database_url=database, port=free_ports())
        ready = asyncio.Event()
        alone = asyncio.create_task(answer(settings, ready=ready.set))
        async with (
            asyncio.timeout(PATIENCE),
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}", timeout=PATIENCE) as api,
        ):
            await ready.wait()
            rental = running(live, live.renter(), listing=live.listings[0])
            await until_status(keeping, str(rental), "running")
            path = f"/api/jobs/{rental}"
            assert (await api.get(path)).json() == (await keeping.get(path)).json()
            assert (await api.get("/api/network")).json()["active_rentals"] == 1

            async def healthy() -> bool:
                return (await api.get("/health")).status_code == 200

            await until(healthy)
        alone.cancel()
        await asyncio.wait([alone])
    assert workers() == []


async def test_working__no_process_can_answer_yet__takes_no_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load balancer that sees the port open would send it requests."""
    settings = IndexerSettings(database_url=f"sqlite:///{tmp_path / 'index.db'}", port=free_ports())
    started, refused = master._started, []

    async def starting(process: Process) -> None:
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", settings.port)
        refused.append(process)
        await started(process)

    monkeypatch.setattr(master, "_started", starting)
    with listen("127.0.0.1", settings.port) as listener:
        migrate_all(settings, open_database(settings.database_url))
        async with working(settings, listener), httpx.AsyncClient(timeout=PATIENCE) as api:
            assert refused
            assert (await api.get(f"http://127.0.0.1:{settings.port}/api/gpus")).status_code == 200


@pytest.fixture(params=[SQLITE, pytest.param(POSTGRES, marks=ON_POSTGRES)])
def unmade(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a database without tables."""
    if request.param == SQLITE:
        return f"sqlite:///{tmp_path / 'index.db'}"
    url = make_url(request.getfixturevalue("postgres_url"))
    engine = open_database(url.render_as_string(hide_password=False))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f'CREATE DATABASE "{tmp_path.name}"'))
    engine.dispose()
    return url.set(database=tmp_path.name).render_as_string(hide_password=False)


async def test_answer__database_that_another_makes__waits_for_it_and_says_nothing(
    local: LocalCluster, unmade: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two replicas begin at the same moment; one of them makes the tables."""
    alike = IndexerSettings(rpc_url=local.http_url, database_url=unmade)
    first = free_ports(2)
    replicas = [(replace(alike, port=port), asyncio.Event()) for port in (first, first + 1)]
    begun = threading.Semaphore(0)

    def migrating(settings: IndexerSettings, engine: Engine) -> None:
        begun.release()
        migrate_all(settings, engine)

    monkeypatch.setattr(master, "migrate_all", migrating)
    engine = open_database(alike.database_url)
    async with asyncio.TaskGroup() as group, httpx.AsyncClient(timeout=PATIENCE) as api:
        with engine.connect() as connection, begin_writing(connection):
            answering = [group.create_task(answer(settings, ready=ready.set)) for settings, ready in replicas]
            for settings, _ in replicas:
                await asyncio.to_thread(begun.acquire)
                with pytest.raises(ConnectionRefusedError):
                    await asyncio.open_connection("127.0.0.1", settings.port)
        for settings, ready in replicas:
            await ready.wait()
            assert (await api.get(f"http://127.0.0.1:{settings.port}/api/gpus")).status_code == 200
        for task in answering:
            task.cancel()
    said = "".join(capfd.readouterr())
    engine.dispose()
    assert "no such table" not in said and "does not exist" not in said and "cannot be sent" not in said


def test_share_of__three_workers__have_together_no_more() -> None:
    settings = IndexerSettings(workers=3, max_connections=10, max_connections_per_client=2, node_requests=9)
    share = share_of(settings)
    assert (share.max_connections, share.max_connections_per_client, share.node_requests) == (3, 1, 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("count", [0, 2])
async def test_serve__told_to_stop__says_so_at_health_and_answers_until_it_has_drained(
    local: LocalCluster, live: Market, tmp_path: Path, count: int
) -> None:
    settings = IndexerSettings(
        rpc_url=local.http_url,
        ws_url=local.ws_url,
        database_url=f"sqlite:///{tmp_path / 'index.db'}",
        port=free_ports(),
        workers=count,
        drain_seconds=2,
    )
    ready = asyncio.Event()
    service = asyncio.create_task(serve(settings, ready=ready.set))
    await ready.wait()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}", timeout=PATIENCE) as api:

        async def problems() -> list[str]:
            told: list[str] = (await api.get("/health")).json()["problems"]
            return told

        async def well() -> bool:
            return await problems() == []

        async def leaving() -> bool:
            return "it is being stopped" in await problems()

        await until(well)
        service.cancel()
        await until(leaving)
        assert (await api.get("/api/gpus")).status_code == 200
        await asyncio.wait([service])
        with pytest.raises(httpx.ConnectError):
            await api.get("/api/gpus")
    assert service.cancelled()
