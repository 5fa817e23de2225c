"""An indexer whose node answers oddly: it keeps running, and has everything in the end. Invariant IDX-5."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from anchor_client.service.backoff import Backoff
from indexer.index.sources import node
from indexer.models import SeqGap
from indexer.store.database import open_database
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.service import indexed, metrics_of, until_status
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.program.harness.flows import running

NULL = '{"jsonrpc":"2.0","id":1,"result":null}'
HTML = "<html><body>502 Bad Gateway</body></html>"
ODD = {
    "null": NULL,
    "html": HTML,
    "empty": "",
    "list": "[]",
    "nested": "[" * 20_000,
    "neither": '{"jsonrpc":"2.0","id":1}',
    "wordless": '{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}',
    "nulls": '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":9},"value":[null,null]}}',
    "negative": '{"jsonrpc":"2.0","id":1,"result":[{"signature":"x","slot":-1,"err":null}]}',
    "huge": '{"jsonrpc":"2.0","id":1,"result":[{"signature":"x","slot":99999999999999999999,"err":null}]}',
}


@dataclass(frozen=True, slots=True)
class Behind:
    """A cluster behind a proxy."""

    http_url: str
    ws_url: str


@pytest.fixture
async def proxy(local: LocalCluster) -> AsyncIterator[Proxy]:
    async with Proxy(local.http_url) as proxy:
        yield proxy


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index asks again as often as ever, after a tenth of the wait."""
    waits = node.RETRIES.waits
    sooner = replace(node.RETRIES, waits=Backoff(first=waits.first / 10, most=waits.most / 10))
    monkeypatch.setattr(node, "RETRIES", sooner)


def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'index.db'}"


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("method", ["getTransaction", "getMultipleAccounts", "getSignaturesForAddress"])
async def test_serve__every_odd_answer_once__indexes_everything(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path, method: str
) -> None:
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        for odd in ODD.values():
            proxy.bodies[method].append(odd)
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)
    assert_complete(tmp_path)


@pytest.mark.usefixtures("soon")
async def test_serve__no_answer_right_for_a_whole_look__looks_again(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    proxy.bodies["getMultipleAccounts"] = [NULL] * 6
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)
        metrics = await metrics_of(api)
    assert 'source_failures_total{kind="UnreadableAnswer"}' in metrics
    assert_complete(tmp_path)


@pytest.mark.usefixtures("soon")
async def test_serve__storm_of_429__waits_and_goes_on(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        proxy.statuses = dict.fromkeys(("getMultipleAccounts", "getSignaturesForAddress", "getTransaction"), 429)
        rental = running(live, live.renter(), listing=live.listings[0])
        await proxy.called("getMultipleAccounts", proxy.calls["getMultipleAccounts"] + 8)
        proxy.statuses = {}
        await until_status(api, str(rental), "running", seconds=60)
    assert_complete(tmp_path)


async def test_serve__signatures_listed_twice__are_read_once(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    proxy.changes["getSignaturesForAddress"] = lambda listed: [entry for entry in listed for _ in range(2)]
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        rental = running(live, live.renter(), listing=live.listings[0])
        await until_status(api, str(rental), "running", seconds=60)
    assert_complete(tmp_path)


async def test_serve__one_transaction_in_twenty_null__costs_a_call_each(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    renter = live.renter()
    for _ in range(8):
        rental = running(live, renter, listing=live.listings[0])
        live.pass_time(100)
        live.act(live.stop_rental(rental))
    proxy.changes["getTransaction"] = every(5, lambda _: None)
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        await until_status(api, str(rental), "completed", seconds=60)
    assert proxy.calls["getTransaction"] <= len(live.records) * 5 / 4 + 2
    assert_complete(tmp_path)


async def test_serve__inner_instructions_emptied__are_asked_for_again(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    def emptied(result: Any) -> Any:
        return {**result, "meta": {**result["meta"], "innerInstructions": []}}

    proxy.changes["getTransaction"] = every(4, emptied)
    rental = running(live, live.renter(), listing=live.listings[0])
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        await until_status(api, str(rental), "running", seconds=60)
    assert_complete(tmp_path)


async def test_serve__another_transaction_than_asked_for__is_asked_for_again(
    local: LocalCluster, proxy: Proxy, live: Market, tmp_path: Path
) -> None:
    first: list[Any] = []

    def other(result: Any) -> Any:
        first.append(json.loads(json.dumps(result)))
        return first[0]

    proxy.changes["getTransaction"] = every(3, other)
    rental = running(live, live.renter(), listing=live.listings[0])
    async with indexed(Behind(proxy.url, local.ws_url), url(tmp_path)) as api:
        await until_status(api, str(rental), "running", seconds=60)
    assert_complete(tmp_path)


def every(count: int, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Changes every nth result."""
    seen = 0

    def sometimes(result: Any) -> Any:
        nonlocal seen
        seen += 1
        return change(result) if seen % count == 0 else result

    return sometimes


def assert_complete(tmp_path: Path) -> None:
    engine = open_database(url(tmp_path))
    assert rows_of(engine, SeqGap) == [] and contents(engine)["dead_letter"] == []
    engine.dispose()
