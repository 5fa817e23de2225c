"""Repairs of an index of a topic, where sources have left events out, from its node. Invariant IDX-19."""

from __future__ import annotations

from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.generated.program import PROGRAM_ID
from indexer.api.main import create_app
from indexer.index.follow import Follower
from indexer.index.sources.kafka.merge import Merger
from indexer.index.sources.kafka.messages import Mark, SentTransaction
from indexer.index.sources.kafka.source import KafkaSource
from indexer.models import RawEvent, SeqGap
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.fence import Fence, take_over
from tests.indexer.node import ScriptedNode
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market, as_transaction
from tests.program.harness.flows import running

SETTINGS = IndexerSettings(database_url="sqlite://", reconcile_interval=0.001)


async def index_a_hole(market: Market, engine: Engine, agree: int) -> Follower:
    """An index whose sources have all left out the same transaction, which its node has."""
    rental = running(market, market.renter(), listing=market.listings[0])
    market.pass_time(240)
    market.act(market.settle_rental(rental))
    market.act(market.stop_rental(rental))
    told = [as_transaction(record) for record in market.records]
    fence = Fence(str(PROGRAM_ID), take_over(engine, str(PROGRAM_ID)), lambda: None)
    source = KafkaSource(Merger(0, agree=agree), fence)
    offset = 0
    for name in ("one", "two"):
        for transaction in [*told[:-2], told[-1]]:
            source.hear(offset := offset + 1, SentTransaction(name, transaction))
        source.hear(offset := offset + 1, Mark(name, "1" * 32, 0, told[-1].slot, 1, None))
    node = ScriptedNode(market)
    follower = Follower(SETTINGS, fence.guard(engine), node, Status(), source=source)
    await follower.catch_up()
    await follower.catch_up()
    return follower


async def test_index__sources_agree_on_a_hole__takes_nothing_from_its_node_and_says_so(
    market: Market, sqlite_engine: Engine
) -> None:
    await index_a_hole(market, sqlite_engine, agree=2)
    left_out = str(market.records[-2].signature)
    assert left_out not in {event.signature for event in rows_of(sqlite_engine, RawEvent)}
    assert rows_of(sqlite_engine, SeqGap) != []
    with TestClient(create_app(SETTINGS, engine=sqlite_engine, status=Status())) as api:
        health = api.get("/health")
    assert health.status_code == 503 and health.json()["gaps"] > 0


async def test_index__one_source_is_enough__takes_what_it_left_out_from_the_node(
    market: Market, sqlite_engine: Engine
) -> None:
    await index_a_hole(market, sqlite_engine, agree=1)
    left_out = str(market.records[-2].signature)
    assert left_out in {event.signature for event in rows_of(sqlite_engine, RawEvent)}
    assert rows_of(sqlite_engine, SeqGap) == []
