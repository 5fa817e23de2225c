"""An index of a topic has what one that reads by RPC has, whatever becomes of its source or its projector."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from sqlalchemy import Engine

from anchor_client.generated.program import PROGRAM_ID
from indexer.errors import TopicUnusable
from indexer.index.publish import publish
from indexer.index.sources.kafka import group
from indexer.index.sources.kafka import source as kafka_source
from indexer.index.sources.kafka import topic as topics
from indexer.index.sources.kafka.merge import Merger
from indexer.index.sources.kafka.topic import Topic
from indexer.metrics import PUBLISHED
from indexer.models import RawEvent, TopicPosition
from indexer.settings import IndexerSettings, IndexSource
from indexer.store.fence import take_over
from localnet.server import LocalCluster
from tests.indexer.databases import on_both_databases
from tests.indexer.followed import rent, same_as_rpc
from tests.indexer.service import indexed, until, until_status
from tests.indexer.tables import only, rows_of
from tests.indexer.topic.brokers import Brokers
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.program.harness.flows import running

pytestmark = [pytest.mark.kafka, pytest.mark.xdist_group("kafka")]


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@asynccontextmanager
async def source(local: LocalCluster, topic: dict[str, Any], name: str = "one") -> AsyncIterator[None]:
    """A source until the block ends."""
    settings = IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, kafka_name=name, **topic)
    ready = asyncio.Event()
    running = asyncio.create_task(publish(settings, ready=ready.set))
    starting = asyncio.create_task(ready.wait())
    await asyncio.wait([running, starting], return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    if running.done():
        await running
    try:
        yield
    finally:
        running.cancel()
        await asyncio.wait([running])


def projector(local: LocalCluster, topic: dict[str, Any], engine: Engine, **changes: Any) -> Any:
    """The service on the topic, until the block ends."""
    return indexed(local, url_of(engine), source=IndexSource.KAFKA, **{**topic, **changes})


@on_both_databases
async def test_index__of_a_topic__is_that_of_rpc(
    local: LocalCluster, live: Market, topic: dict[str, Any], engine: Engine, tmp_path: Path
) -> None:
    async with source(local, topic), projector(local, topic, engine) as api:
        await rent(live, api)

        async def compared() -> bool:
            health = await api.get("/health")
            return health.status_code == 200 and len(health.json()["reconciliation"]) > 0

        await until(compared)
        health = (await api.get("/health")).json()
        assert all(each["difference"] is None for each in health["reconciliation"]), health
    same_as_rpc(live, url_of(engine), tmp_path)
    position = only(engine, TopicPosition)
    assert position.epoch == 1 and position.next_slot > 0 and position.next_offset > 0


async def test_source__ended_and_started_again__goes_on_behind_its_mark(
    local: LocalCluster, live: Market, topic: dict[str, Any], sqlite_engine: Engine, tmp_path: Path
) -> None:
    async with projector(local, topic, sqlite_engine) as api:
        async with source(local, topic):
            await rent(live, api)
        sent = PUBLISHED._value.get()
        begun = len(live.records)
        async with source(local, topic):
            await rent(live, api)
        assert PUBLISHED._value.get() - sent <= len(live.records) - begun
    same_as_rpc(live, url_of(sqlite_engine), tmp_path)


async def test_projectors__active_one_ends__another_goes_on(
    local: LocalCluster, live: Market, topic: dict[str, Any], sqlite_engine: Engine, tmp_path: Path
) -> None:
    async with source(local, topic):
        async with projector(local, topic, sqlite_engine) as first:
            await rent(live, first)
            standing_by = projector(local, topic, sqlite_engine)
            second = await standing_by.__aenter__()
            assert only(sqlite_engine, TopicPosition).epoch == 1
        try:
            await rent(live, second)
        finally:
            await standing_by.__aexit__(None, None, None)
    assert only(sqlite_engine, TopicPosition).epoch == 2
    same_as_rpc(live, url_of(sqlite_engine), tmp_path)


async def test_projector__another_has_taken_over__writes_nothing_and_joins_again(
    local: LocalCluster, live: Market, topic: dict[str, Any], sqlite_engine: Engine, tmp_path: Path
) -> None:
    async with source(local, topic), projector(local, topic, sqlite_engine) as api:
        await rent(live, api)
        term = await asyncio.to_thread(take_over, sqlite_engine, str(PROGRAM_ID))
        assert term.epoch == 2
        await rent(live, api)
    assert only(sqlite_engine, TopicPosition).epoch == 3
    same_as_rpc(live, url_of(sqlite_engine), tmp_path)


async def test_topic__read_from_the_start__makes_the_same_index(
    local: LocalCluster, live: Market, topic: dict[str, Any], sqlite_engine: Engine, tmp_path: Path
) -> None:
    settings = IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, kafka_name="history", **topic)
    async with source(local, topic, "one"), source(local, topic, "two"):
        async with projector(local, topic, sqlite_engine) as api:
            await rent(live, api)
        await publish(settings, first=0, last=live.node.finalized_slot)
    with_new = tmp_path / "again.db"
    url = f"sqlite:///{with_new}"
    async with source(local, topic, "one"), indexed(local, url, source=IndexSource.KAFKA, **topic) as api:
        await rent(live, api)
    same_as_rpc(live, url, tmp_path)


async def test_sources__two_must_agree_and_one_is_late__the_topic_is_read_again_once_it_is_there(
    local: LocalCluster,
    live: Market,
    topic: dict[str, Any],
    sqlite_engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("indexer.index.projector.Merger", partial(Merger, most_open=3))
    again: list[int] = []
    go_back = group.Member.go_back

    def noted(member: group.Member, offset: int) -> None:
        again.append(offset)
        go_back(member, offset)

    monkeypatch.setattr(group.Member, "go_back", noted)
    async with source(local, topic, "one"), projector(local, topic, sqlite_engine, kafka_agree=2) as api:
        rental = running(live, live.renter(), listing=live.listings[0])
        live.act(live.stop_rental(rental))

        async def waits() -> bool:
            return "waits for 2 sources: one at" in str((await api.get("/health")).json()["last_error"])

        await until(waits)
        assert rows_of(sqlite_engine, RawEvent) == [] and again == []
        async with source(local, topic, "two"):
            await until_status(api, str(rental), "completed")
    assert again
    same_as_rpc(live, url_of(sqlite_engine), tmp_path)


async def test_source__much_is_held__the_topic_is_not_read_on(
    local: LocalCluster,
    live: Market,
    topic: dict[str, Any],
    sqlite_engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kafka_source, "MOST_HELD", 1)
    monkeypatch.setattr(group, "MOST_READ", 5)
    paused: list[bool] = []
    pause = group.Member.pause

    def noted(member: group.Member, is_full: bool) -> None:
        paused.append(is_full)
        pause(member, is_full)

    monkeypatch.setattr(group.Member, "pause", noted)
    async with source(local, topic), projector(local, topic, sqlite_engine) as api:
        await rent(live, api)
    assert True in paused
    same_as_rpc(live, url_of(sqlite_engine), tmp_path)


def test_topic__with_two_partitions__is_refused(broker: Brokers) -> None:
    name = uuid4().hex
    admin = AdminClient({"bootstrap.servers": broker.servers})
    admin.create_topics([NewTopic(name, 2, 1)])[name].result(PATIENCE)
    with pytest.raises(TopicUnusable, match="2 partitions"):
        topics.make(Topic(name, {"bootstrap.servers": broker.servers}))
