"""Processes of a topic that are suspended or killed at the worst moment: what they leave is the index that RPC makes.

Invariant IDX-18.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from indexer.index.rebuild import rebuild
from indexer.models import TopicPosition
from localnet.server import LocalCluster
from tests.indexer.databases import ON_POSTGRES
from tests.indexer.followed import rent, same_as_rpc
from tests.indexer.service import until, until_status
from tests.indexer.tables import contents, only
from tests.indexer.topic.processes import IndexerProcess, indexer
from tests.markets.recorded import Market
from tests.program.harness.flows import running

pytestmark = [pytest.mark.kafka, *ON_POSTGRES]
WAITING = text("SELECT count(*) FROM pg_locks WHERE relation = 'raw_event'::regclass AND NOT granted")


@contextmanager
def nobody_writes_events(engine: Engine) -> Iterator[Connection]:
    """Stops whoever writes events in the middle of their transaction."""
    with engine.connect() as connection, connection.begin():
        connection.execute(text("LOCK TABLE raw_event IN SHARE MODE"))
        yield connection


async def until_in_mid_batch(connection: Connection) -> None:
    """Waits until somebody is stopped there."""

    async def waits() -> bool:
        return bool(await asyncio.to_thread(lambda: connection.execute(WAITING).scalar()))

    await until(waits)


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@asynccontextmanager
async def both(
    local: LocalCluster, home: Path, topic: dict[str, Any], engine: Engine
) -> AsyncIterator[tuple[IndexerProcess, IndexerProcess]]:
    """An active indexer, and another that stands by."""
    run = ("run", "--source", "kafka")
    settings = {"database_url": url_of(engine)}
    async with indexer(local, home / "first", topic, *run, **settings) as first:
        await first.until_active()
        async with indexer(local, home / "second", topic, *run, **settings) as second:
            yield first, second


async def test_projector__suspended_in_mid_batch__writes_nothing_once_another_has_taken_over(
    local: LocalCluster, live: Market, topic: dict[str, Any], postgres_engine: Engine, tmp_path: Path
) -> None:
    engine = postgres_engine
    async with indexer(local, tmp_path / "source", topic, "source"), both(local, tmp_path, topic, engine) as pair:
        first, second = pair
        await rent(live, first.api)
        with nobody_writes_events(engine) as held:
            rental = running(live, live.renter(), listing=live.listings[0])
            await until_in_mid_batch(held)
            first.signal(signal.SIGSTOP)
        await second.until_active()
        first.signal(signal.SIGCONT)
        await first.until_active(False)
        live.act(live.stop_rental(rental))
        await until_status(second.api, str(rental), "completed")
        assert only(engine, TopicPosition).epoch == 2
        same_as_rpc(live, url_of(engine), tmp_path)
        await second.kill()
        await first.until_active()
        await rent(live, first.api)
    assert only(engine, TopicPosition).epoch == 3
    same_as_rpc(live, url_of(engine), tmp_path)


async def test_projector_and_source__killed_in_mid_batch__leave_an_index_without_a_gap(
    local: LocalCluster, live: Market, topic: dict[str, Any], postgres_engine: Engine, tmp_path: Path
) -> None:
    engine = postgres_engine
    began = indexer(local, tmp_path / "source", topic, "source")
    async with began as source, both(local, tmp_path, topic, engine) as (first, second):
        await rent(live, first.api)
        with nobody_writes_events(engine) as held:
            rental = running(live, live.renter(), listing=live.listings[0])
            await until_in_mid_batch(held)
            await first.kill()
            await source.kill()
        live.act(live.stop_rental(rental))
        async with indexer(local, tmp_path / "source", topic, "source"):
            await until_status(second.api, str(rental), "completed")
    same_as_rpc(live, url_of(engine), tmp_path)
    before = contents(engine)
    rebuild(engine)
    assert contents(engine) == before
