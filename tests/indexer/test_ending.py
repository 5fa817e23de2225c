"""A service that is stopped leaves once its transactions have ended, and closes every connection that it opened."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import Connection, Engine, event

from indexer import main
from indexer.index.proof import gaps
from indexer.main import serve
from indexer.settings import IndexerSettings
from indexer.store.database import open_database, writing
from indexer.store.threads import in_thread
from localnet.server import LocalCluster
from tests.indexer.databases import on_both_databases
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

SHORT_SECONDS = 0.5


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Numbers of connections that the service has opened and closed."""
    counted: Counter[str] = Counter()

    def opened(url: str) -> Engine:
        engine = open_database(url)
        event.listen(engine, "connect", lambda *_: counted.update(["opened"]))
        event.listen(engine, "close", lambda *_: counted.update(["closed"]))
        # The reader of changes takes one out of the pool, and closes it.
        event.listen(engine, "detach", lambda *_: counted.update(["closed"]))
        return engine

    monkeypatch.setattr(main, "open_database", opened)
    return counted


@on_both_databases
async def test_serve__stopped_in_mid_transaction__closes_its_connection(
    local: LocalCluster, engine: Engine, connections: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, waits = asyncio.get_running_loop(), asyncio.Event()

    def begun(engine: Engine) -> AbstractContextManager[Connection]:
        loop.call_soon_threadsafe(waits.set)
        return writing(engine)

    monkeypatch.setattr(gaps, "writing", begun)
    settings = IndexerSettings(
        rpc_url=local.http_url,
        ws_url=local.ws_url,
        database_url=engine.url.render_as_string(hide_password=False),
        port=free_ports(),
        workers=0,
    )
    with writing(engine):
        service = asyncio.create_task(serve(settings))
        async with asyncio.timeout(PATIENCE):
            await waits.wait()
        service.cancel()
        await asyncio.wait([service], timeout=SHORT_SECONDS)
        assert not service.done()
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait([service])
    assert service.cancelled()
    assert connections["opened"] == connections["closed"] > 0


async def test_in_thread__work_fails_after_its_caller_was_cancelled__raises_nothing() -> None:
    loop, began, fails = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def work() -> None:
        loop.call_soon_threadsafe(began.set)
        asyncio.run_coroutine_threadsafe(fails.wait(), loop).result(PATIENCE)
        raise ConnectionError("gone")

    caller = asyncio.create_task(in_thread(work))
    await began.wait()
    caller.cancel()
    fails.set()
    await asyncio.wait([caller])
    assert caller.cancelled()
