"""ETags and gzip of answers that are kept and of others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.documentation import Documentation
from indexer.api.http import compact
from indexer.api.http.compact import WORTH_BYTES, Representation
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.store.turns import HOLDER, NetworkTurns
from tests.indexer.busy import busy
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.sweeps import sampled

KEPT, OTHER, SMALL = "/api/gpus", "/api/requests", "/api/governance/proposals?state=vetoed"


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    busy(market)
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


@pytest.mark.parametrize("path", [KEPT, OTHER])
def test_get__client_that_takes_gzip__has_the_same_in_less(api: TestClient, path: str) -> None:
    plain = api.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers and len(plain.content) >= WORTH_BYTES
    for asked in ("gzip", "br, gzip;q=0.5", "*"):
        small = api.get(path, headers={"Accept-Encoding": asked})
        assert small.headers["content-encoding"] == "gzip" and small.json() == plain.json()
        assert int(small.headers["content-length"]) < len(plain.content) // 2
        assert small.headers["etag"] != plain.headers["etag"]
    assert "content-encoding" not in api.get(path, headers={"Accept-Encoding": "gzip;q=0, br"}).headers
    assert all("Accept-Encoding" in each.headers["vary"] for each in (plain, small))


@pytest.mark.parametrize("coding", ["gzip", "identity"])
@pytest.mark.parametrize("path", sampled([KEPT, OTHER, SMALL], every=3))
def test_get__etag_of_what_it_would_get__is_not_modified(api: TestClient, path: str, coding: str) -> None:
    first = api.get(path, headers={"Accept-Encoding": coding})
    same = api.get(path, headers={"Accept-Encoding": coding, "If-None-Match": first.headers["etag"]})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
    other = api.get(path, headers={"Accept-Encoding": coding, "If-None-Match": '"other"'})
    assert other.status_code == 200 and other.json() == first.json()


@pytest.mark.parametrize("coding", ["gzip", "identity"])
def test_get__kept_answer_asked_for_by_many__tells_each_its_own_headers(api: TestClient, coding: str) -> None:
    asked = {"Accept-Encoding": coding}
    first = api.get(KEPT, headers=asked)
    of_page = api.get(KEPT, headers=asked | {"Origin": "https://a.example"})
    known = api.get(KEPT, headers=asked | {"If-None-Match": first.headers["etag"]})
    again = api.get(KEPT, headers=asked)
    own = {"x-request-id", "ratelimit"}
    assert {*first.headers.items()} ^ {*again.headers.items()} <= {
        (name, answer.headers[name]) for name in own for answer in (first, again)
    }
    assert again.headers["vary"] == "Accept-Encoding, Origin" and len(again.headers.raw) == len(first.headers.raw)
    assert of_page.headers["access-control-allow-origin"] == "*" and known.status_code == 304
    assert len({answer.headers["x-request-id"] for answer in (first, of_page, known, again)}) == 4
    assert "content-length" not in known.headers and "content-type" not in known.headers


def test_get__small_answer__is_sent_as_it_is(api: TestClient) -> None:
    answer = api.get(SMALL, headers={"Accept-Encoding": "gzip"})
    assert len(answer.content) < WORTH_BYTES and "content-encoding" not in answer.headers


def test_get__refusal_and_what_is_no_part_of_the_api__have_no_etag(api: TestClient) -> None:
    for path in ("/api/requests?limit=0", "/health"):
        assert "etag" not in api.get(path).headers


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_documentation__has_an_etag_and_is_compressed(api: TestClient, path: str) -> None:
    answer = api.get(path, headers={"Accept-Encoding": "gzip"})
    again = api.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": answer.headers["etag"]})
    assert answer.headers["content-encoding"] == "gzip" and (again.status_code, again.content) == (304, b"")


async def test_documentation__asked_by_many_at_once__is_made_once() -> None:
    begun: list[str] = []
    go_on = threading.Event()

    def describe() -> dict[str, Any]:
        begun.append("again")
        go_on.wait(PATIENCE)
        return {
            "info": dict.fromkeys(("title", "version", "description"), ""),
            "paths": {},
            "components": {"schemas": {}},
        }

    documentation = Documentation(describe)
    asking = [asyncio.create_task(documentation.made()) for _ in range(9)]
    await asyncio.sleep(0)
    go_on.set()
    made = await asyncio.gather(*asking)
    assert len(begun) == 1 and all(each is made[0] for each in made)


async def test_gzip__many_answers_of_one_network__let_others_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    done, begun = list[bytes](), threading.Event()

    def compressed(body: bytes) -> bytes:
        begun.wait(PATIENCE)
        done.append(body)
        return body

    async def asked(holder: str, answer: Representation) -> bytes:
        HOLDER.set(holder)
        return await answer._in_gzip()

    def answers(name: bytes, count: int) -> list[Representation]:
        return [Representation({"headers": []}, name) for _ in range(count)]

    monkeypatch.setattr(compact, "_compressed", compressed)
    monkeypatch.setattr(compact, "_TURNS", NetworkTurns(1))  # of several threads a later one may be done first
    crowd = [asyncio.create_task(asked("203.0.113.1", each)) for each in answers(b"crowd", 30)]
    await asyncio.sleep(0)
    honest = answers(b"honest", 1) * 2
    others = [asyncio.create_task(asked("198.51.100.1", each)) for each in honest]
    await asyncio.sleep(0)
    begun.set()
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*crowd, *others)
    # The one under way, and one of the crowd's turns; two who ask for the same have it made once.
    assert done.count(b"honest") == 1 and b"honest" in done[:3] and len(done) == 31


async def test_gzip__one_answer_asked_for_by_many_who_may_leave__is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done, begun, loop = list[bytes](), asyncio.Event(), asyncio.get_running_loop()
    ends = threading.Event()

    def compressed(body: bytes) -> bytes:
        done.append(body)
        loop.call_soon_threadsafe(begun.set)
        ends.wait(PATIENCE)
        return body

    monkeypatch.setattr(compact, "_compressed", compressed)
    monkeypatch.setattr(compact, "_TURNS", NetworkTurns(compact.COMPRESSORS))
    answer = Representation({"headers": []}, b"body")
    first, *others = (asyncio.create_task(answer._in_gzip()) for _ in range(4))
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
        first.cancel()
        await asyncio.wait([first])
        ends.set()
        assert await asyncio.gather(*others) == [b"body"] * 3
    assert first.cancelled() and done == [b"body"]
