"""Rate limits: a refusal says when to ask again, and every answer says what is left."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from structlog.testing import capture_logs
from xprocess import XProcess

from anchor_client.service.errors import BadSetting
from indexer.api.actions.form import VERSION
from indexer.api.errors import MEDIA_TYPE
from indexer.api.http.connections import client_key
from indexer.api.limits.limiter import POLICY_HEADER, QUOTA_HEADER, Limiter
from indexer.api.limits.policies import FACTORS, WINDOW_SECONDS, Policy
from indexer.api.limits.storage import MOST_KEYS, Count, CountLost, MemoryStorage, counting
from indexer.api.main import create_app
from indexer.api.workers.master import share_of
from indexer.api.workers.worker import server_of
from indexer.errors import LimitsUnusable
from indexer.settings import IndexerSettings
from tests.indexer import redis
from tests.indexer.service import serving
from tests.processes.patience import PATIENCE

FEW = 3
RATE = FEW / WINDOW_SECONDS


class Time:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = time.time()

    def __call__(self) -> float:
        return self.seconds


@contextmanager
def api(engine: Engine, **settings: object) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(**settings), engine=engine)) as client:
        yield client


def test_request__beyond_the_limit__is_refused_with_when_to_ask_again(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client:
        for left in reversed(range(FEW)):
            answer = client.get("/api/gpus")
            assert answer.status_code == 200
            assert answer.headers[POLICY_HEADER] == f'"address";q={FEW};w={WINDOW_SECONDS}'
            assert answer.headers[QUOTA_HEADER].startswith(f'"address";r={left};t=')
        refused = client.get("/api/gpus")
        told = refused.json()
        assert (refused.status_code, refused.headers["content-type"]) == (429, MEDIA_TYPE)
        assert told["error"] == "too_many_requests" and told["remedy"]
        assert 1 <= int(refused.headers["retry-after"]) <= WINDOW_SECONDS
        assert refused.headers[QUOTA_HEADER].startswith('"address";r=0;t=')


def test_solana_action__beyond_the_limit__is_refused_in_the_form_of_its_specification(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client:
        for _ in range(FEW):
            client.get("/api/gpus")
        refused = client.get("/api/actions/stake")
        assert (refused.status_code, refused.headers["content-type"]) == (429, "application/json")
        assert refused.headers["x-action-version"] == VERSION
        assert refused.json().keys() == {"message", "error"}


@pytest.mark.parametrize("path", ["/nowhere", "/api/jobs?limit=0", "/docs", "/health", "/api/tokens"])
def test_answer__of_every_kind__says_what_is_left(sqlite_engine: Engine, path: str) -> None:
    with api(sqlite_engine) as client:
        assert POLICY_HEADER in client.get(path).headers and QUOTA_HEADER in client.head(path).headers


def test_answer__to_a_page_of_another_origin__lets_it_read_what_is_left(sqlite_engine: Engine) -> None:
    with api(sqlite_engine, requests_per_client=RATE) as client:
        for _ in range(FEW + 1):
            answer = client.get("/api/gpus", headers={"Origin": "https://a.example"})
        assert answer.status_code == 429
        exposed = answer.headers["access-control-expose-headers"].split(", ")
        assert {POLICY_HEADER, QUOTA_HEADER, "Retry-After"} <= set(exposed)


async def test_limit__of_one_client__leaves_others_theirs_and_comes_back() -> None:
    now = Time()
    limiter, policy = Limiter(MemoryStorage(now=now)), Policy.of("address", RATE)
    kept = [quota.is_kept for _ in range(FEW + 1) if (quota := await limiter.take(policy, "a"))]
    assert kept == [True] * FEW + [False]
    other = await limiter.take(policy, "b")
    assert other is not None and other.is_kept
    now.seconds += WINDOW_SECONDS
    again = await limiter.take(policy, "a")
    assert again is not None and again.is_kept and again.left == FEW - 1


async def test_limits__of_a_client_that_is_refused__leave_its_network_its_own() -> None:
    """Else one address could use up a whole network's, and an IPv6 /64 a provider's. Invariant IDX-11."""
    limiter, policy = Limiter(MemoryStorage(now=Time())), Policy.of("address", RATE)
    for address, other in ("203.0.113.9", "203.0.113.10"), ("2001:db8:1::/64", "2001:db8:2::/64"):
        for _ in range(100 * FEW):
            taken = await limiter.take_all([(policy, address), *policy.around(address)])
        assert [quota.is_kept for quota in taken] == [False, *[True] * (len(taken) - 1)]
        theirs = await limiter.take_all([(policy, other), *policy.around(other)])
        shared = {policy.requests * factor for factor in FACTORS[4 if "." in address else 6]}
        assert all(quota.is_kept for quota in theirs) and theirs[-1].left == max(shared) - FEW - 1


async def test_memory__of_very_many_clients__forgets_those_whose_window_is_over() -> None:
    now = Time()
    storage = MemoryStorage(now=now)
    for number in range(MOST_KEYS):
        await storage.add([str(number)], 1, WINDOW_SECONDS)
    now.seconds += WINDOW_SECONDS
    await storage.add(["another"], 1, WINDOW_SECONDS)
    assert len(storage._counts) == 1


def test_client__address__is_itself_or_its_network() -> None:
    assert client_key("192.0.2.1") == client_key("::ffff:192.0.2.1") == "192.0.2.1"
    assert client_key("2001:db8::1") == client_key("2001:db8::ffff:1") == "2001:db8::/64" != client_key("2001:db8:1::1")


@pytest.mark.parametrize(
    ("trusted", "named", "statuses"),
    [
        ("127.0.0.1", ["192.0.2.1", "192.0.2.2"], [200, 200]),
        ("127.0.0.0/8", ["192.0.2.1", "192.0.2.1"], [200, 429]),
        ("127.0.0.1", ["1.2.3.4, 192.0.2.1", "5.6.7.8, 192.0.2.1"], [200, 429]),
        ("192.0.2.9", ["192.0.2.1", "192.0.2.2"], [200, 429]),
        ("", ["192.0.2.1", "192.0.2.2"], [200, 429]),
    ],
    ids=["one each", "the same", "what the client says itself", "another proxy", "no proxy"],
)
async def test_client__behind_a_proxy__is_whom_a_trusted_one_names(
    sqlite_engine: Engine, trusted: str, named: list[str], statuses: list[int]
) -> None:
    settings = IndexerSettings(trusted_proxies=trusted, requests_per_client=1 / WINDOW_SECONDS)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = server_of(settings, create_app(settings, engine=sqlite_engine))
        async with serving(server, listener), httpx.AsyncClient(timeout=PATIENCE) as client:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/gpus"
            answers = [await client.get(url, headers={"X-Forwarded-For": each}) for each in named]
    assert [answer.status_code for answer in answers] == statuses


@pytest.mark.parametrize("wrong", ["*", "proxy.example", "10.0.0.1/8", "127.0.0.1,nonsense"])
def test_trusted_proxies__that_are_no_networks__are_refused(wrong: str) -> None:
    with pytest.raises(BadSetting):
        IndexerSettings(trusted_proxies=wrong)


def test_share__of_one_of_several_processes__is_its_part_unless_redis_counts() -> None:
    alone = share_of(IndexerSettings(workers=4, requests_per_client=40, node_requests=8))
    assert (alone.requests_per_client, alone.node_requests) == (10, 2)
    together = share_of(
        IndexerSettings(workers=4, requests_per_client=40, node_requests=8, limits_url="redis://127.0.0.1")
    )
    assert (together.requests_per_client, together.node_requests) == (40, 8)


async def test_redis__two_processes__count_together(xprocess: XProcess, tmp_path: Path) -> None:
    policy = Policy.of("address", RATE)
    with redis.server(xprocess, redis.require(), tmp_path) as url:
        async with counting(url) as one, counting(url) as other:
            limiters = [Limiter(one), Limiter(other)]
            quotas = [await limiters[number % 2].take(policy, "a") for number in range(FEW + 1)]
        assert [quota.is_kept for quota in quotas if quota] == [True] * FEW + [False]
        assert quotas[-1] is not None and 1 <= quotas[-1].resets <= WINDOW_SECONDS


async def test_redis__that_is_away__refuses_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    async with counting(f"redis://127.0.0.1:{port}/0") as away:
        assert await Limiter(away).take(Policy.of("address", RATE), "a") is None


async def test_redis__that_goes_away__is_told_in_one_line(xprocess: XProcess, tmp_path: Path) -> None:
    with redis.server(xprocess, redis.require(), tmp_path) as url:
        async with counting(url) as storage:
            limiter = Limiter(storage, now=lambda: 0.0)
            assert await limiter.take(Policy.of("address", RATE), "a") is not None
            xprocess.getinfo(f"redis-{url.rpartition(':')[2].removesuffix('/0')}").terminate()
            with capture_logs() as lines:
                for _ in range(93):
                    assert await limiter.take(Policy.of("address", RATE), "a") is None
    assert [line["event"] for line in lines] == ["requests cannot be counted"]


async def test_limit__storage_away_for_long__is_told_once_a_minute() -> None:
    class Away:
        async def add(self, keys: Sequence[str], requests: int, seconds: int) -> list[Count]:
            raise CountLost("away")

    clock = iter(range(0, 200, 2))
    limiter = Limiter(Away(), now=lambda: float(next(clock)))
    with capture_logs() as lines:
        for _ in range(45):
            await limiter.take(Policy.of("address", RATE), "a")
    assert [line["requests"] for line in lines] == [1, 30]


async def test_redis__url_that_is_none__is_refused() -> None:
    with pytest.raises(LimitsUnusable):
        async with counting("redis://127.0.0.1:nonsense"):
            pass
