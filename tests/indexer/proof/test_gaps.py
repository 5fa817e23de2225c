"""Missing events are looked for until they are found or given up, and named meanwhile. Invariant IDX-5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.service.monitoring import exposition
from indexer.api.main import create_app
from indexer.index import follow
from indexer.index.follow import Follower
from indexer.index.proof import gaps
from indexer.index.sources.history import History
from indexer.metrics import INDEX
from indexer.models import GapAttempt, RawEvent, SeqGap
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.indexer.node import Fault, ScriptedNode
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST
from tests.program.harness.changes import post_price
from tests.program.harness.flows import running
from tests.program.harness.terms import WSOL_PRICE


class Time:
    """Unix seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def ended(market: Market) -> Market:
    """A market with one rental, settled twice and stopped."""
    renter = market.renter()
    rental = running(market, renter, listing=market.listings[0])
    for _ in range(2):
        market.pass_time(240)
        market.act(market.settle_rental(rental))
    market.act(market.stop_rental(rental))
    return market


@pytest.fixture
def time() -> Time:
    return Time()


def beat(market: Market) -> None:
    """The host is heard from, a little later."""
    market.wait(30)
    market.act(market.heartbeat(HOST, market.listings[0]))


def follower_of(node: ScriptedNode, engine: Engine, time: Callable[[], float]) -> Follower:
    return Follower(IndexerSettings(database_url="sqlite://"), engine, node, Status(), now=time)


def emptied(*signatures: str) -> Fault:
    """A node that leaves out inner instructions and logs of some transactions."""

    def fault(method: str, params: list[Any], result: Any) -> Any:
        if method != "getTransaction" or params[0] not in signatures:
            return result
        return {**result, "meta": {**result["meta"], "innerInstructions": [], "logMessages": []}}

    return fault


@on_both_databases
async def test_gap__node_that_left_events_out__is_closed_once_it_no_longer_does(
    ended: Market, engine: Engine, time: Time
) -> None:
    node = ScriptedNode(ended)
    node.faults = [emptied(str(ended.records[-2].signature))]
    follower = follower_of(node, engine, time)
    for _ in range(20):
        await follower.catch_up()
        time.seconds += 10
    assert {gap.kind for gap in rows_of(engine, SeqGap)} == {"listing", "rental", "vault"}
    node.faults = []
    time.seconds += gaps.WAITS.most
    await follower.catch_up()
    assert rows_of(engine, SeqGap) == [] and rows_of(engine, GapAttempt) == []


async def test_gap__part_of_a_transaction_left_out__is_closed(ended: Market, engine: Engine, time: Time) -> None:
    node = ScriptedNode(ended)
    ended.wait(30)
    ended.act(ended.heartbeat(HOST, ended.listings[0]), post_price(WSOL_PRICE))
    node.learn()
    both = str(ended.records[-1].signature)

    def halved(method: str, params: list[Any], result: Any) -> Any:
        if method != "getTransaction" or params[0] != both:
            return result
        inner = result["meta"]["innerInstructions"][1:]
        return {**result, "meta": {**result["meta"], "innerInstructions": inner, "logMessages": []}}

    node.faults = [halved]
    follower = follower_of(node, engine, time)
    await follower.catch_up()
    partly = len(rows_of(engine, RawEvent))
    node.faults = []
    beat(ended)
    node.learn()
    await follower.catch_up()
    time.seconds += gaps.WAITS.first
    await follower.catch_up()
    assert rows_of(engine, SeqGap) == [] and len(rows_of(engine, RawEvent)) == partly + 2


@pytest.mark.exhaustive
async def test_gap__older_than_any_rescan__is_closed(
    ended: Market, engine: Engine, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = ScriptedNode(ended)
    node.hidden = {str(ended.records[-2].signature)}
    await follower_of(node, engine, time).catch_up()
    ended.wait(1)
    beat(ended)
    node.learn()
    monkeypatch.setattr(follow, "RESCAN_SLOTS", 0)
    node.hidden = set()
    time.seconds += gaps.WAITS.first
    await follower_of(node, engine, time).catch_up()
    assert rows_of(engine, SeqGap) == []


@pytest.mark.exhaustive
async def test_gap__never_found__is_looked_for_ever_more_rarely_then_given_up_and_named(
    ended: Market, engine: Engine, time: Time
) -> None:
    node = ScriptedNode(ended)
    lost = str(ended.records[-2].signature)
    node.faults = [emptied(lost)]
    follower = follower_of(node, engine, time)
    await follower.catch_up()
    node.calls.clear()
    await follower.catch_up()
    assert "getTransaction" not in node.calls
    for number in range(1, gaps.MAX_ATTEMPTS):
        assert {entry.attempts for entry in rows_of(engine, GapAttempt)} == {number}
        time.seconds += gaps.wait_after(number)
        await follower.catch_up()
    node.calls.clear()
    time.seconds += 10 * gaps.WAITS.most
    await follower.catch_up()
    assert "getTransaction" not in node.calls
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        told = api.get("/health").json()
    [vault] = [gap for gap in rows_of(engine, SeqGap) if gap.kind == "vault"]
    named = f"event {vault.expected} of vault {vault.entity}, given up after {gaps.MAX_ATTEMPTS} attempts"
    assert any(named in problem for problem in told["problems"])
    assert 'gpu_market_indexer_gaps{state="given up"} 3.0' in exposition(INDEX)


async def test_gap__given_up__is_looked_for_again_after_a_start(ended: Market, engine: Engine, time: Time) -> None:
    node = ScriptedNode(ended)
    node.faults = [emptied(str(ended.records[-2].signature))]
    follower = follower_of(node, engine, time)
    for _ in range(gaps.MAX_ATTEMPTS):
        await follower.catch_up()
        time.seconds += gaps.WAITS.most
    node.faults = []
    await follower.catch_up()
    assert len(rows_of(engine, SeqGap)) == 3
    gaps.GapRepair(engine, History(node, str(PROGRAM_ID))).start_over()
    await follower.catch_up()
    assert rows_of(engine, SeqGap) == []


async def test_gap__node_fails_while_it_is_looked_for__keeps_nothing_else_waiting(
    ended: Market, engine: Engine, time: Time
) -> None:
    node = ScriptedNode(ended)
    node.faults = [emptied(str(ended.records[-2].signature))]
    follower = follower_of(node, engine, time)
    await follower.catch_up()
    gap_addresses = {gap.entity for gap in rows_of(engine, SeqGap)}

    def broken(method: str, params: list[Any], result: Any) -> Any:
        return None if method == "getSignaturesForAddress" and params[0] in gap_addresses else result

    node.faults = [broken]
    beat(ended)
    node.learn()
    time.seconds += gaps.WAITS.first
    await follower.catch_up()
    assert str(ended.records[-1].signature) in {row.signature for row in rows_of(engine, RawEvent)}
    assert {entry.attempts for entry in rows_of(engine, GapAttempt)} == {2}
    node.faults = []
    time.seconds += 2 * gaps.WAITS.first
    await follower.catch_up()
    assert contents(engine)["seq_gap"] == []
