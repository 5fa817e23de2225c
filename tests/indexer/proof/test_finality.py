"""An index at the confirmed commitment: what did not become final is taken back. Invariant IDX-5."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Engine

from indexer.index.follow import Follower
from indexer.index.ingest import ingest
from indexer.models import RawEvent, Rental
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.indexer.node import ScriptedNode
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.program.harness.flows import opened, running

MADE_HERE = ("cursor", "gap_attempt", "reconciliation", "supply_check")


@pytest.fixture
def begun(market: Market) -> Market:
    running(market, market.renter(), listing=market.listings[0])
    market.wait(5)
    return market


def follower_of(node: ScriptedNode, engine: Engine, commitment: str = "confirmed") -> Follower:
    settings = IndexerSettings(database_url="sqlite://", commitment=commitment, reconcile_interval=10**9)  # type: ignore[arg-type]
    return Follower(settings, engine, node, Status())


def projections(engine: Engine) -> dict[str, Any]:
    return {name: rows for name, rows in contents(engine).items() if name not in MADE_HERE}


@on_both_databases
async def test_catch_up__confirmed_transaction_that_vanishes__is_withdrawn(begun: Market, engine: Engine) -> None:
    node = ScriptedNode(begun)
    node.final_slot = begun.node.slot - 1
    follower = follower_of(node, engine)
    await follower.catch_up()
    before = projections(engine)
    lost = opened(begun, begun.renter(), listing=begun.list_machine())
    orphaned = len(node.results)
    node.learn()
    await follower.catch_up()
    assert str(lost) in {row.address for row in rows_of(engine, Rental)}
    node.orphaned = node.hidden = set(list(node.results)[orphaned:])
    for _ in range(2):
        begun.wait(5)
        node.final_slot = begun.node.slot
        await follower.catch_up()
    assert projections(engine) == before


async def test_catch_up__seen_as_vanished_once__stays(begun: Market, engine: Engine) -> None:
    node = ScriptedNode(begun)
    follower = follower_of(node, engine)
    await follower.catch_up()
    before = projections(engine)
    node.final_slot = begun.node.slot
    node.orphaned = {str(begun.records[-1].signature)}
    await follower.catch_up()
    node.orphaned = set()
    begun.wait(5)
    node.final_slot = begun.node.slot
    await follower.catch_up()
    assert projections(engine) == before


async def test_catch_up__transaction_that_becomes_final_elsewhere__is_put_there(begun: Market, engine: Engine) -> None:
    node = ScriptedNode(begun)
    node.final_slot = begun.node.slot - 1
    follower = follower_of(node, engine)
    opened(begun, begun.renter(), listing=begun.list_machine())
    node.learn()
    await follower.catch_up()
    begun.wait(5)
    moved = str(begun.records[-1].signature)
    node.results[moved] = {**node.results.pop(moved), "slot": begun.node.slot, "transactionIndex": 0}
    for _ in range(2):
        begun.wait(5)
        node.final_slot = begun.node.slot
        await follower.catch_up()
    slots = {row.slot for row in rows_of(engine, RawEvent) if row.signature == moved}
    assert slots == {node.results[moved]["slot"]}


async def test_catch_up__finalized_index__asks_nothing_of_this(begun: Market, engine: Engine) -> None:
    node = ScriptedNode(begun)
    ingest(begun.transactions(), engine)
    follower = follower_of(node, engine, "finalized")
    await follower.catch_up()
    node.calls.clear()
    await follower.catch_up()
    assert node.calls == ["getMultipleAccounts", "getSignaturesForAddress"]


async def test_catch_up__nothing_open__asks_nothing_of_this(begun: Market, engine: Engine) -> None:
    node = ScriptedNode(begun)
    follower = follower_of(node, engine)
    await follower.catch_up()
    node.calls.clear()
    await follower.catch_up()
    assert node.calls == ["getMultipleAccounts", "getSignaturesForAddress"]
