"""Faults of nodes and machines, after which the index has the same tables as without them. Invariants IDX-1, IDX-5."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from solders.transaction import VersionedTransaction
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import IntegrityError

from anchor_client.errors import RpcRefused
from anchor_client.solana.transactions import MessageVersion, compile_message
from indexer.index.follow import Follower
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Price, RawEvent
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import writing
from indexer.store.statements import insert_rows
from localnet.server import LocalCluster
from tests.indexer.databases import empty, on_both_databases, sqlite
from tests.indexer.node import Refusal, ScriptedNode
from tests.indexer.proof.test_odd_answers import Behind
from tests.indexer.service import indexed, until_status
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports
from tests.program.harness.actors import HOST
from tests.program.harness.changes import post_price
from tests.program.harness.flows import running
from tests.program.harness.keys import keypair_of
from tests.program.harness.terms import WSOL_PRICE
from tests.pubsub_node import PubsubNode, PubsubRelay
from tests.sweeps import nightly

OF_THE_LOOKS = ("gap_attempt", "reconciliation")
"""Tables that say when the index looked, and so differ from one run to the next."""


class Killed(BaseException):
    """The process is gone: nothing handles this."""


@pytest.fixture
def ended(market: Market) -> Market:
    """A market with one rental, settled and stopped."""
    rental = running(market, market.renter(), listing=market.listings[0])
    market.pass_time(240)
    market.act(market.settle_rental(rental))
    market.act(market.stop_rental(rental))
    return market


def follower_of(node: ScriptedNode, engine: Engine) -> Follower:
    return Follower(IndexerSettings(database_url="sqlite://"), engine, node, Status())


def tables(engine: Engine) -> dict[str, Any]:
    return {name: rows for name, rows in contents(engine).items() if name not in OF_THE_LOOKS}


@contextmanager
def kill_at(engine: Engine, step: int) -> Iterator[list[str]]:
    """Kills at a step: a statement, a beginning or a commit. Gives those that there were so far."""
    seen: list[str] = []

    def killing(connection: Connection, cursor: object = None, statement: str = "COMMIT", *more: object) -> None:
        seen.append(statement)
        if len(seen) == step:
            raise Killed

    named = ("before_cursor_execute", "commit")
    for name in named:
        event.listen(engine, name, killing)
    try:
        yield seen
    finally:
        for name in named:
            event.remove(engine, name, killing)


async def look(node: ScriptedNode, engine: Engine) -> None:
    for _ in range(2):
        await follower_of(node, engine).catch_up()


def around_commits(steps: Sequence[str]) -> Iterable[int]:
    """Each commit of a transaction that writes, and the step after it: of one that is killed earlier nothing stays."""
    begun = written = False
    for place, step in enumerate(steps, 1):
        word = step.split()[0]
        if word == "BEGIN":
            begun = True
        elif word == "COMMIT":
            if written:
                yield from (place, place + 1)
            begun = written = False
        elif word not in {"SELECT", "PRAGMA"}:
            assert begun, f"it would stay at once, outside a transaction: {step}"
            written = True


def each(steps: Sequence[str]) -> Iterable[int]:
    return range(1, len(steps) + 1)


@pytest.mark.parametrize("chosen", [around_commits, nightly(each)])
async def test_catch_up__killed_at_any_sql_step__has_the_same_tables_in_the_end(
    ended: Market, tmp_path: Path, chosen: Callable[[Sequence[str]], Iterable[int]]
) -> None:
    late = str(ended.records[-2].signature)

    async def life(engine: Engine) -> None:
        """Reads everything but one transaction, and then that one."""
        node = ScriptedNode(ended)
        node.hidden = {late}
        await follower_of(node, engine).catch_up()
        node.hidden = set()
        await look(node, engine)

    with sqlite(tmp_path / "index.db") as engine:
        with kill_at(engine, -1) as steps:
            await life(engine)
        whole = tables(engine)
        killed = 0
        for step in chosen(steps):
            empty(engine)
            try:
                with kill_at(engine, step):
                    await life(engine)
            except Killed:
                killed += 1
            await look(ScriptedNode(ended), engine)
            assert tables(engine) == whole, f"killed at step {step} of {len(steps)}"
    assert killed > 5


@on_both_databases
def test_ingest__killed_at_any_sql_step__leaves_nothing_behind(ended: Market, engine: Engine, tmp_path: Path) -> None:
    *earlier, settled, stopped = ended.transactions()
    with sqlite(tmp_path / "whole.db") as whole:
        ingest([*earlier, settled, stopped], whole)
        expected = tables(whole)
    ingest(earlier, engine)
    before = tables(engine)
    for step in count(1):
        with kill_at(engine, step):
            try:
                ingest([settled, stopped], engine)
                break
            except Killed:
                pass
        assert tables(engine) == before, f"killed at step {step}"
    assert step > 10
    assert tables(engine) == expected


@on_both_databases
def test_ingest__row_that_no_database_takes__is_an_error_of_the_database(ended: Market, engine: Engine) -> None:
    transactions = ended.transactions()
    ingest(transactions, engine)
    with writing(engine) as connection, pytest.raises(IntegrityError):
        insert_rows(connection, Price, [vars(row) for row in rows_of(engine, Price)])


async def test_catch_up__any_page_refused_once__has_everything_at_the_next_look(ended: Market, engine: Engine) -> None:
    node = ScriptedNode(ended, page=3)
    pages, refuse_at = 0, 1

    def refused(method: str, params: list[Any], result: Any) -> Any:
        nonlocal pages
        if method == "getSignaturesForAddress":
            pages += 1
            if pages == refuse_at:
                raise Refusal(-32603, "internal error")
        return result

    node.faults = [refused]
    follower = follower_of(node, engine)
    for number in range(1, len(ended.records) // 3 + 1):
        pages, refuse_at = 0, number
        with pytest.raises(RpcRefused, match="internal error"):
            await follower.catch_up()
        assert contents(engine)["raw_event"] == []
    await follower_of(ScriptedNode(ended), engine).catch_up()
    expected = {str(record.signature) for record in ended.records}
    assert {row.signature for row in rows_of(engine, RawEvent)} <= expected
    assert contents(engine)["seq_gap"] == []
    before = contents(engine)["rental"]
    rebuild(engine)
    assert contents(engine)["rental"] == before


async def test_catch_up__2_500_signatures_behind__reads_them_all(ended: Market, engine: Engine, tmp_path: Path) -> None:
    node = ScriptedNode(ended)
    last = ended.node.slot
    first = next(iter(node.results.values()))
    for number in range(2_500):
        name = f"{'1' * 60}{number:04}".replace("0", "A")
        meta = {**first["meta"], "err": {"InstructionError": [0, "Custom"]}}
        transaction = {**first["transaction"], "signatures": [name]}
        failed = {**first, "slot": last + number // 100, "transactionIndex": 500 + number % 100}
        node.results[name] = failed | {"meta": meta, "transaction": transaction}
    follower = follower_of(node, engine)
    ended.node.warp(30)
    await follower.catch_up()
    ingested = tables(engine)
    assert node.calls.count("getTransaction") == len(ended.records)
    with sqlite(tmp_path / "alone.db") as alone:
        ingest(ended.transactions(), alone)
        assert tables(alone)["rental"] == ingested["rental"]


async def test_catch_up__logs_cut_at_10_kb__has_every_event(ended: Market, engine: Engine, tmp_path: Path) -> None:
    def cut(method: str, params: list[Any], result: Any) -> Any:
        if method == "getTransaction":
            result["meta"]["logMessages"] = [*result["meta"]["logMessages"][:1], "Log truncated"]
        return result

    node = ScriptedNode(ended)
    node.faults = [cut]
    await follower_of(node, engine).catch_up()
    with sqlite(tmp_path / "alone.db") as alone:
        ingest(ended.transactions(), alone)
        assert contents(alone)["raw_event"] == contents(engine)["raw_event"]


async def test_catch_up__two_instructions_of_several_events__are_told_apart(ended: Market, engine: Engine) -> None:
    ended.wait(30)
    ended.act(ended.heartbeat(HOST, ended.listings[0]), post_price(WSOL_PRICE))
    both = str(ended.records[-1].signature)
    await follower_of(ScriptedNode(ended), engine).catch_up()
    rows = [row for row in rows_of(engine, RawEvent) if row.signature == both]
    assert len({row.instruction_index for row in rows}) == len(rows) == 2


async def test_catch_up__accounts_from_lookup_tables__has_every_event(
    ended: Market, engine: Engine, tmp_path: Path
) -> None:
    def looked_up(method: str, params: list[Any], result: Any) -> Any:
        """A version-0 transaction's last two accounts come from a table; among them may be the program itself."""
        if method == "getTransaction":
            message = result["transaction"]["message"]
            *own, writable, readonly = message["accountKeys"]
            message["accountKeys"] = own
            result["meta"]["loadedAddresses"] = {"writable": [writable], "readonly": [readonly]}
            result["version"] = 0
        return result

    node = ScriptedNode(ended)
    node.faults = [looked_up]
    await follower_of(node, engine).catch_up()
    with sqlite(tmp_path / "alone.db") as alone:
        ingest(ended.transactions(), alone)
        assert contents(alone)["raw_event"] == contents(engine)["raw_event"]


async def test_catch_up__version_1_messages__has_every_event(ended: Market, engine: Engine) -> None:
    ended.wait(30)
    blockhash, payer = ended.node.latest_blockhash(), ended.recorder.fee_payer
    beat = ended.heartbeat(HOST, ended.listings[0])
    message = compile_message([beat], payer, blockhash, version=MessageVersion.V1)
    signers = message.account_keys[: message.header.num_required_signatures]
    record = ended.node.execute(VersionedTransaction(message, [keypair_of(key) for key in signers]))
    ended.recorder.landed(record)
    assert record.err is None
    await follower_of(ScriptedNode(ended), engine).catch_up()
    assert str(record.signature) in {row.signature for row in rows_of(engine, RawEvent)}


async def test_serve__no_notifications__has_everything(local: LocalCluster, tmp_path: Path) -> None:
    live = Market(local.cluster)
    nobody = f"ws://127.0.0.1:{free_ports()}"
    async with indexed(Behind(local.http_url, nobody), f"sqlite:///{tmp_path / 'index.db'}") as api:
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)


async def test_serve__subscriptions_refused_at_first__has_everything(local: LocalCluster, tmp_path: Path) -> None:
    live = Market(local.cluster)
    async with (
        PubsubNode.running(refusals=2) as refusing,
        indexed(Behind(local.http_url, refusing.ws_url), f"sqlite:///{tmp_path / 'index.db'}") as api,
    ):
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)


async def test_serve__notifications_doubled_and_late__has_everything_once(local: LocalCluster, tmp_path: Path) -> None:
    live = Market(local.cluster)
    database_url = f"sqlite:///{tmp_path / 'index.db'}"
    async with (
        PubsubRelay.running(local.ws_url, times=2) as relay,
        indexed(Behind(local.http_url, relay.ws_url), database_url, idle_interval=0.5) as api,
    ):
        async with asyncio.timeout(PATIENCE):
            await relay.subscribed.wait()
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)
        assert not relay.told.is_set()
        relay.may_tell.set()
        async with asyncio.timeout(PATIENCE):
            await relay.told.wait()
        live.act(live.stop_rental(rental))
        await until_status(api, str(rental), "completed", seconds=60)
        told = (await api.get(f"/api/jobs/{rental}")).json()["history"]
        entered = [state["status"] for state in told]
        assert entered[-2:] == ["running", "completed"] and len(set(entered)) == len(entered)
        assert (await api.get("/health")).json()["problems"] == []
