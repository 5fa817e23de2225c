"""An index that follows a node: complete, proven against the vaults, and repaired where it was not.

Invariants SYS-3, IDX-5, IDX-16.
"""

from __future__ import annotations

import base64
import struct
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from solders.sysvar import CLOCK
from sqlalchemy import Engine, delete, select, update

from anchor_client.generated.pdas import find_market, find_vault
from anchor_client.generated.program import PROGRAM_ID
from indexer.errors import NodeBehind, OtherCluster, TransactionMissing
from indexer.index import follow
from indexer.index.follow import Follower
from indexer.index.proof.reconcile import addresses_of, known_vaults
from indexer.index.transaction import Transaction
from indexer.models import RawEvent, Reconciliation, Rental, SeqGap, Vault
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.progress import write_progress
from tests.indexer.databases import sqlite
from tests.indexer.followed import NOT_COMPARED
from tests.indexer.node import ScriptedNode
from tests.indexer.tables import contents, only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM, USDC
from tests.program.harness.changes import TERMS, post_price
from tests.program.harness.flows import running
from tests.program.harness.terms import WSOL_PRICE

VAULTS = sum(terms.shards for terms in TERMS.values())


@pytest.fixture
def ended(market: Market) -> Market:
    """A market with one rental, settled and stopped."""
    renter = market.renter()
    rental = running(market, renter, listing=market.listings[0])
    market.pass_time(240)
    market.act(market.settle_rental(rental))
    market.act(market.stop_rental(rental))
    return market


def follower_of(node: ScriptedNode, engine: Engine, **changes: Any) -> tuple[Follower, Status]:
    status = Status()
    return Follower(IndexerSettings(database_url="sqlite://", **changes), engine, node, status), status


async def test_catch_up__complete_node__is_complete_and_proven(ended: Market, engine: Engine) -> None:
    follower, status = follower_of(ScriptedNode(ended), engine)
    assert not status.ready
    await follower.catch_up()
    assert status.ready and status.complete_slot <= ended.node.slot and status.market is not None
    await follower.catch_up()
    checks = rows_of(engine, Reconciliation)
    assert [check.vault for check in checks] == [vault.address for vault in rows_of(engine, Vault)]
    assert [check.difference for check in checks] == [None] * VAULTS


async def test_catch_up__node_of_another_cluster__is_refused_also_after_a_restart(
    ended: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(method: str, params: list[Any], result: Any) -> Any:
        return "2" * 32 if method == "getGenesisHash" else result

    node = ScriptedNode(ended)
    follower, status = follower_of(node, engine)
    await follower.catch_up()
    write_progress(engine, str(PROGRAM_ID), status)
    node.faults = [answers]
    # So that no slot seems to follow the last one.
    monkeypatch.setattr(follow, "BEHIND_SLOTS", 0)
    for each in (follower, follower_of(node, engine)[0]):
        for _ in range(2):
            with pytest.raises(OtherCluster, match="genesis hash 2222"):
                await each.catch_up()
    node.faults = []
    await follower.catch_up()


async def test_catch_up__node_far_behind_itself__is_refused_also_after_a_restart(
    ended: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def behind(method: str, params: list[Any], result: Any) -> Any:
        if method == "getMultipleAccounts":
            result["context"]["slot"] = 1
        return result

    ended.node.warp(30)
    node = ScriptedNode(ended)
    follower, status = follower_of(node, engine, reconcile_interval=10**9)
    await follower.catch_up()
    write_progress(engine, str(PROGRAM_ID), status)
    node.faults = [behind]
    monkeypatch.setattr(follow, "BEHIND_SLOTS", 1)
    for each in (follower, follower_of(node, engine)[0]):
        for _ in range(2):
            with pytest.raises(NodeBehind, match="slots behind what has been seen"):
                await each.catch_up()
    node.faults = []
    await follower.catch_up()


@pytest.mark.parametrize("slots_a_second", [2, 5, 10])
async def test_catch_up__slots_of_any_length__asks_for_the_cluster_once(
    ended: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch, slots_a_second: int
) -> None:
    """A look every ten minutes: at slots that are taken for 400 ms each, they would not seem to follow."""
    begun, chain, passed = time.monotonic(), ended.node.slot, 0
    asked: list[str] = []

    def later(method: str, params: list[Any], result: Any) -> Any:
        asked.append(method)
        if method == "getMultipleAccounts" and params[0][0] == str(CLOCK):
            slot = result["context"]["slot"] = chain + passed * slots_a_second
            clock = bytearray(base64.b64decode(result["value"][0]["data"][0]))
            clock[:8], clock[32:40] = struct.pack("<Q", slot), struct.pack("<q", 1_900_000_000 + passed)
            result["value"][0]["data"][0] = base64.b64encode(clock).decode()
        return result

    node = ScriptedNode(ended)
    node.faults = [later]
    follower, _ = follower_of(node, engine, reconcile_interval=10**9)
    monkeypatch.setattr(time, "monotonic", lambda: begun + passed)
    await follower.catch_up()
    passed += 60
    await follower.catch_up()
    first = asked.count("getGenesisHash")
    for _ in range(3):
        passed += 600
        await follower.catch_up()
    assert asked.count("getGenesisHash") == first


async def test_catch_up__another_block_time_from_each_node__gives_the_same_tables(
    ended: Market, engine: Engine, tmp_path: Path
) -> None:
    """A block's time is no part of what the chain agrees on, and may change while it is replayed."""

    def timed(method: str, params: list[Any], result: Any) -> Any:
        entries = result if method == "getSignaturesForAddress" else [result] if method == "getTransaction" else []
        for number, entry in enumerate(entries):
            entry["blockTime"] = number * 86_400 if number % 3 else None
        return result

    node, other = ScriptedNode(ended), ScriptedNode(ended)
    other.faults = [timed]
    with sqlite(tmp_path / "other.db") as elsewhere:
        for each, into in ((node, engine), (other, elsewhere)):
            await follower_of(each, into)[0].catch_up()
        expected, found = contents(engine), contents(elsewhere)
    for name in expected.keys() - NOT_COMPARED:
        assert found[name] == expected[name], name


async def test_catch_up__vault_added_later__is_proven_at_the_next_look(market: Market, engine: Engine) -> None:
    node = ScriptedNode(market)
    node.hidden = set(node.results)
    follower, _ = follower_of(node, engine)
    await follower.catch_up()
    node.hidden = set()
    await follower.catch_up()
    assert rows_of(engine, Reconciliation) == []
    await follower.catch_up()
    assert [check.difference for check in rows_of(engine, Reconciliation)] == [None] * VAULTS


async def test_catch_up__transaction_listed_late__is_found_and_put_in_its_place(ended: Market, engine: Engine) -> None:
    node = ScriptedNode(ended)
    settled = str(ended.records[-2].signature)
    node.hidden = {settled}
    follower, _ = follower_of(node, engine)
    await follower.catch_up()
    assert {gap.kind for gap in rows_of(engine, SeqGap)} == {"listing", "rental", "vault"}
    node.hidden = set()
    again, _ = follower_of(node, engine)
    await again.catch_up()
    assert rows_of(engine, SeqGap) == []
    assert settled in {row.signature for row in rows_of(engine, RawEvent)}
    await again.catch_up()
    assert [check.difference for check in rows_of(engine, Reconciliation)] == [None] * VAULTS


async def test_catch_up__transaction_missing__goes_on_from_there_once_it_is_back(ended: Market, engine: Engine) -> None:
    node = ScriptedNode(ended)
    node.forgotten = {str(ended.records[5].signature)}
    follower, status = follower_of(node, engine)
    with pytest.raises(TransactionMissing):
        await follower.catch_up()
    assert not status.ready
    node.forgotten = set()
    await follower.catch_up()
    assert status.ready and rows_of(engine, SeqGap) == [] and only(engine, Rental).status == "completed"


async def test_catch_up__ledger_changed_behind_its_back__is_a_difference(ended: Market, engine: Engine) -> None:
    follower, _ = follower_of(ScriptedNode(ended), engine)
    await follower.catch_up()
    with engine.begin() as connection:
        connection.execute(update(Vault.table).where(Vault.c.mint == str(GPUM)).values(fees_due=1))
    for _ in range(3):
        await follower.catch_up()
        ended.wait(1)
    differences = {check.vault: check.difference for check in rows_of(engine, Reconciliation)}
    assert "fees_due is 1 here" in (differences[str(find_vault(GPUM, 0)[0])] or "")
    assert differences[str(find_vault(USDC, 0)[0])] is None


async def test_catch_up__difference_that_is_gone__is_gone_at_the_next_look(ended: Market, engine: Engine) -> None:
    follower, _ = follower_of(ScriptedNode(ended), engine)
    await follower.catch_up()
    changed = update(Vault.table).where(Vault.c.mint == str(GPUM), Vault.c.shard == 0)
    with engine.begin() as connection:
        right = connection.execute(select(Vault.c.fees_due).where(Vault.c.mint == str(GPUM))).scalars().first()
        connection.execute(changed.values(fees_due=1))
    for _ in range(3):
        await follower.catch_up()
        ended.wait(1)
    assert [check for check in rows_of(engine, Reconciliation) if check.difference]
    with engine.begin() as connection:
        connection.execute(changed.values(fees_due=right))
    await follower.catch_up()
    assert {check.difference for check in rows_of(engine, Reconciliation)} == {None}


@pytest.mark.parametrize("honest", [True, False], ids=["says its slot", "says the newest slot"])
async def test_catch_up__node_behind_while_vaults_are_proven__is_no_difference(
    market: Market, engine: Engine, honest: bool
) -> None:
    node = ScriptedNode(market)
    follower, status = follower_of(node, engine, reconcile_interval=1e-9)
    await follower.catch_up()
    every = [CLOCK, GPUM, find_market(PROGRAM_ID)[0], *addresses_of(known_vaults(engine))]
    stale = {str(key): node.getMultipleAccounts([str(key)], {"commitment": "finalized"})["value"][0] for key in every}
    behind = market.node.slot
    market.wait(5)
    running(market, market.renter(), listing=market.listings[0])
    node.learn()
    await follower.catch_up()

    def lagging(method: str, params: list[Any], result: Any) -> Any:
        if method != "getMultipleAccounts" or len(params[0]) <= 2:
            return result
        slot = behind if honest else result["context"]["slot"]
        return {"context": {"slot": slot}, "value": [stale[address] for address in params[0]]}

    node.faults = [lagging]
    for _ in range(4):
        await follower.catch_up()
        market.wait(2)
    assert {check.difference for check in rows_of(engine, Reconciliation)} <= {None}
    assert status.complete_slot > behind
    node.faults = []
    await follower.catch_up()
    assert min(check.slot for check in rows_of(engine, Reconciliation)) > behind
    assert [check.difference for check in rows_of(engine, Reconciliation)] == [None] * VAULTS


async def test_catch_up__stopped_before_the_rebuild__rebuilds_at_the_next_look(
    ended: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = ScriptedNode(ended)
    node.hidden = {str(ended.records[-2].signature)}
    follower, _ = follower_of(node, engine)
    await follower.catch_up()
    node.hidden = set()

    def killed(*_: object, **__: object) -> int:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(follow, "rebuild", killed)
        with pytest.raises(RuntimeError, match="killed"):
            await follower_of(node, engine)[0].catch_up()
    await follower_of(node, engine)[0].catch_up()
    assert rows_of(engine, SeqGap) == []


async def test_catch_up__new_transactions__only_they_are_fetched(ended: Market, engine: Engine) -> None:
    node = ScriptedNode(ended)
    follower, _ = follower_of(node, engine)
    await follower.catch_up()
    await follower.catch_up()
    ended.act(post_price(WSOL_PRICE))
    node.learn()
    node.calls.clear()
    await follower.catch_up()
    assert node.calls.count("getTransaction") == 1


async def test_catch_up__event_lost_from_the_database__is_found_again(ended: Market, engine: Engine) -> None:
    first, _ = follower_of(ScriptedNode(ended), engine)
    await first.catch_up()
    whole = contents(engine)
    with engine.begin() as connection:
        connection.execute(delete(RawEvent.table).where(RawEvent.c.signature == str(ended.records[-3].signature)))
    again, _ = follower_of(ScriptedNode(ended), engine)
    await again.catch_up()
    assert contents(engine)["raw_event"] == whole["raw_event"]


@pytest.mark.parametrize(("seconds", "commits"), [(0.0, "at once"), (1e9, "together")])
async def test_ingest_all__slow_node__commits_what_it_has_in_time(
    ended: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch, seconds: float, commits: str
) -> None:
    monkeypatch.setattr(follow, "WAIT_SECONDS", seconds)
    follower, _ = follower_of(ScriptedNode(ended), engine)
    given = ended.transactions()
    seen: list[int | None] = []

    async def parts() -> AsyncIterator[list[Transaction]]:
        for transaction in given:
            yield [transaction]
            frontier = follower.frontier()
            seen.append(None if frontier is None else frontier.slot)

    await follower._ingest_all(parts())
    at_once: list[int | None] = [transaction.slot for transaction in given]
    assert seen == (at_once if commits == "at once" else [None] * len(given))
    frontier = follower.frontier()
    assert frontier is not None and frontier.slot == given[-1].slot
