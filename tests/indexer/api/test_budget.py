"""Requests for which the API asks its node: few of them, and few calls for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from anchor_client.solana.answer_cache import MAX_ENTRIES, AnswerCache
from localnet.server import LocalCluster
from tests.anchor_client.solana.proxy import Proxy
from tests.indexer.proof.test_odd_answers import Behind
from tests.indexer.service import indexed
from tests.markets.recorded import Market
from tests.program.harness.keys import keypair_of
from tests.sweeps import sampled

T = TypeVar("T")
ORDER = {"duration": 3_600, "order_hash": "ab" * 32}


async def test_quota__asked_by_many_at_once__asks_the_node_once(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    wallet = live.renter()
    async with (
        Proxy(local.http_url) as proxy,
        indexed(Behind(proxy.url, local.ws_url), f"sqlite:///{tmp_path / 'index.db'}", node_cache_seconds=60) as api,
    ):
        await api.get(f"/api/quota/{live.renter()}")
        proxy.heard.clear()
        answers = await asyncio.gather(*(api.get(f"/api/quota/{wallet}") for _ in range(10)))
        asked = [params for params in proxy.heard if str(wallet) in params or "filters" in params]
    assert {answer.status_code for answer in answers} == {200} and len({answer.text for answer in answers}) == 1
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("route", sampled(["quota", "order", "stop", "dispute", "accept"], every=5))
async def test_route__that_asks_the_node__has_a_budget(local: LocalCluster, tmp_path: Path, route: str) -> None:
    wallet = keypair_of(Market(local.cluster).renter()).pubkey()
    async with (
        Proxy(local.http_url) as proxy,
        indexed(
            Behind(proxy.url, local.ws_url), f"sqlite:///{tmp_path / 'index.db'}", node_requests_per_client=0.3
        ) as api,
    ):
        asking = {
            "quota": ("GET", f"/api/quota/{wallet}", None),
            "order": ("POST", "/api/jobs", {"wallet": str(wallet), **ORDER}),
            "stop": ("POST", f"/api/jobs/{wallet}/stop", {"wallet": str(wallet)}),
            "dispute": ("POST", f"/api/jobs/{wallet}/charges/dispute", {"wallet": str(wallet)}),
            "accept": ("POST", f"/api/jobs/{wallet}/charges/accept", {"wallet": str(wallet)}),
        }
        method, path, body = asking[route]
        answers = [await api.request(method, path, json=body) for _ in range(12)]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert refused and answers[0].status_code != 429
        assert refused[-1].json()["error"] == "too_many_requests" and int(refused[-1].headers["retry-after"]) >= 1
        assert '"node";r=0' in refused[-1].headers["ratelimit"]
        assert (await api.get("/api/gpus")).status_code == 200


async def test_answer_cache__failure__is_not_kept() -> None:
    asked = Asked(fail=1)
    cache = AnswerCache(asked, 60)
    with pytest.raises(ConnectionError):
        await cache.call("getProgramAccounts", [1], str)
    assert await cache.call("getProgramAccounts", [1], str) == "2"
    assert await cache.call("getProgramAccounts", [1], str) == "2"


async def test_answer_cache__what_changes_something__is_never_kept() -> None:
    asked = Asked()
    cache = AnswerCache(asked, 60)
    for number in ("1", "2"):
        assert await cache.call("sendTransaction", [1], str) == number


async def test_answer_cache__caller_that_leaves__keeps_no_other_from_the_answer() -> None:
    cache = AnswerCache(Asked(slow=True), 60)
    first = asyncio.create_task(cache.call("getProgramAccounts", [1], str))
    second = asyncio.create_task(cache.call("getProgramAccounts", [1], str))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "1"


async def test_answer_cache__many_questions__keeps_some() -> None:
    cache = AnswerCache(Asked(), 60)
    for number in range(2 * MAX_ENTRIES):
        await cache.call("getProgramAccounts", [number], str)
    assert len(cache._entries) == MAX_ENTRIES


class Asked:
    """Answers with how often it was asked."""

    def __init__(self, *, fail: int = 0, slow: bool = False) -> None:
        self.times = 0
        self.fail = fail
        self.slow = slow

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        self.times += 1
        if self.slow:
            await asyncio.sleep(0.01)
        if self.times <= self.fail:
            raise ConnectionError("lost")
        return read(str(self.times))
