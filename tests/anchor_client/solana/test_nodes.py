"""Several nodes behind one client: nodes that fail, lie, stall, want to be left alone and fall behind."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.rpc.responses import GetBalanceResp, GetBlockHeightResp
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from anchor_client.errors import OutcomeUnknown, RateLimited, RpcRefused, TransactionExpired, UnreachableRpc
from anchor_client.service.backoff import Backoff
from anchor_client.service.redaction import HIDDEN
from anchor_client.solana.answers import answer_of
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries, endpoint, heights, limits
from anchor_client.solana.json_rpc.batch import call_many
from anchor_client.solana.json_rpc.metrics import NodeMetrics
from anchor_client.solana.node import NodeClient
from anchor_client.solana.transactions.confirmation import Timing, await_landing
from tests.anchor_client.solana.links import Answering
from tests.anchor_client.solana.servers import Node, nodes
from tests.processes.patience import PATIENCE

QUICK = Retries(2, Backoff(0.01, 0.5))
CONFIRMED = {"commitment": "confirmed"}


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are not taken for slow, nor doubted for shorter, because the machine of the test is slow."""
    monkeypatch.setattr(endpoint, "SLOW_AT_FIRST", PATIENCE)
    monkeypatch.setattr(endpoint, "DOUBT", Backoff(PATIENCE, PATIENCE))
    monkeypatch.setattr(heights, "VOTE_PATIENCE", PATIENCE)


def rpc_of(*asked: Node, retries: Retries = QUICK, rate: float | None = None) -> JsonRpc:
    """A client of these nodes, in their order."""
    return JsonRpc([node.url for node in asked], timeout=PATIENCE, retries=retries, rate=rate)


class StandingClock:
    """Stands in for `time` in a module; what it measures takes as long as a test says."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what another task brings about."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def balance(rpc: JsonRpc) -> int:
    return await rpc.call("getBalance", ["1" * 32, CONFIRMED], answer_of(GetBalanceResp))


async def height(rpc: JsonRpc) -> int:
    return await rpc.call("getBlockHeight", [CONFIRMED], answer_of(GetBlockHeightResp))


def failing(**faults: Any) -> Callable[[Node], None]:
    """Gives a node these faults."""

    def fail(node: Node) -> None:
        for name, value in faults.items():
            setattr(node, name, value)

    return fail


FAULTS = {
    "5xx": failing(status=503, body=""),
    "429": failing(status=429, body="", headers="Retry-After: 60\r\n"),
    "forbidden": failing(status=403, body=""),
    "html": failing(body="<html>"),
    "null": failing(body='{"jsonrpc":"2.0","id":1,"result":null}'),
    "node behind": failing(refusal=(-32005, "Node is behind by 42 slots")),
    "method not offered": failing(refusal=(-32601, "Method not found")),
}


async def test_call__one_node__is_asked_for_nothing_else() -> None:
    async with nodes(100) as [only], rpc_of(only) as rpc:
        assert [await balance(rpc) for _ in range(3)] == [7, 7, 7] and await height(rpc) == 100
        assert only.calls == {"getBalance": 3, "getBlockHeight": 1}
        assert all("minContextSlot" not in asked["params"][-1] for asked in only.requests)


async def test_call__nodes_that_are_well__the_first_named_is_asked() -> None:
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        assert [await balance(rpc) for _ in range(5)] == [7] * 5
        assert (first.calls["getBalance"], second.calls["getBalance"]) == (5, 0)


@pytest.mark.parametrize("fault", FAULTS)
async def test_call__node_that_fails__the_next_answers_and_goes_first(fault: str) -> None:
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        assert await balance(rpc) == 7
        FAULTS[fault](first)
        assert [await balance(rpc) for _ in range(5)] == [7] * 5
        assert first.calls["getBalance"] == 2, "it is not asked again while it is doubted"
        assert second.calls["getBalance"] == 5


async def test_call__node_that_is_gone__the_next_answers() -> None:
    async with (
        nodes(100) as [second],
        JsonRpc(["http://127.0.0.1:9", second.url], timeout=PATIENCE, retries=QUICK) as rpc,
    ):
        assert await balance(rpc) == 7


async def test_call__refusal_of_what_was_asked__is_not_asked_elsewhere() -> None:
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        first.refusal = (-32602, "Invalid params")
        with pytest.raises(RpcRefused):
            await balance(rpc)
        assert second.calls["getBalance"] == 0


async def test_runs_alpenglow__node__says_whether_it_does_or_does_not_know() -> None:
    async with nodes(100) as [node], NodeClient(node.url, retries=QUICK) as client:
        assert await client.runs_alpenglow() is False
        node.certificate = {"block": {"slot": 7}, "signature": {}}
        assert await client.runs_alpenglow() is True
        node.refusal = (-32601, "Method not found")
        assert await client.runs_alpenglow() is None
        node.refusal = (-32602, "Invalid params")
        with pytest.raises(RpcRefused):
            await client.runs_alpenglow()


async def test_call__node_that_is_well_again__goes_first_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "DOUBT", Backoff(0.05, 0.05))
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        await balance(rpc)
        first.status = 503
        await balance(rpc)
        first.status = 200
        await asyncio.sleep(0.1)
        await balance(rpc)
        assert (first.calls["getBalance"], second.calls["getBalance"]) == (3, 1)


async def test_call__all_fail__names_what_may_pass() -> None:
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        first.status, second.refusal = 503, (-32601, "Method not found")
        with pytest.raises(UnreachableRpc):
            await balance(rpc)
        assert first.calls["getBalance"] == second.calls["getBalance"] == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_call__retry_after_of_the_only_node__is_waited_for_and_not_asked_before(form: str) -> None:
    async with nodes(100) as [only], rpc_of(only, retries=Retries(2, Backoff(0.01, 5))) as rpc:
        soon = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        only.status, only.headers = 429, f"Retry-After: {'1' if form == 'seconds' else soon}\r\n"
        began = time.monotonic()
        asking = [asyncio.create_task(balance(rpc)) for _ in range(3)]
        await until(lambda: rpc.endpoints[0].counts.errors.total() == 3)
        only.status = 200
        assert await asyncio.gather(*asking) == [7, 7, 7]
        assert time.monotonic() - began > 0.9
        assert only.calls["getBalance"] == 6


async def test_call__long_retry_after_of_the_only_node__is_named_without_asking_again() -> None:
    async with nodes(100) as [only], rpc_of(only) as rpc:
        only.status, only.headers = 429, "Retry-After: 60\r\n"
        for _ in range(3):
            with pytest.raises(RateLimited) as limited:
                await balance(rpc)
            assert 50 < (limited.value.retry_after or 0) <= 60
        assert only.calls["getBalance"] == 1


async def test_call__rate__is_kept_and_what_is_over_goes_to_the_next_node(monkeypatch: pytest.MonkeyPatch) -> None:
    async with nodes(100) as [only], rpc_of(only, rate=20) as rpc:
        began = time.monotonic()
        await asyncio.gather(*(balance(rpc) for _ in range(30)))
        assert time.monotonic() - began > 0.45
    monkeypatch.setattr(limits, "time", StandingClock())
    async with nodes(100, 100) as [first, second], rpc_of(first, second, rate=10) as rpc:
        for _ in range(15):
            await balance(rpc)
        assert first.calls["getBalance"] >= 9 and second.calls["getBalance"] >= 4


async def test_call__node_slower_than_usual__the_next_is_asked_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "SLOW_AT_FIRST", 0.1)
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        await balance(rpc)
        first.held = asyncio.Event()
        async with asyncio.timeout(PATIENCE):
            assert await balance(rpc) == 7, "while the first has not answered"
        first.held.set()
        assert second.calls["getBalance"] == 1 and rpc.endpoints[1].counts.hedges == 1


async def test_slow_after__known_answers__is_slower_than_nineteen_of_twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = StandingClock()
    monkeypatch.setattr(endpoint, "time", clock)

    def slow(_: bytes) -> HttpAnswer:
        clock.now += 0.1
        return HttpAnswer(200, '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":7}}')

    async with JsonRpc("http://node.example", connect=lambda _: Answering(slow)) as rpc:
        [node] = rpc.endpoints
        assert node.slow_after("getBalance") == endpoint.SLOW_AT_FIRST
        for _ in range(endpoint.ENOUGH_SAMPLES):
            await balance(rpc)
        assert node.slow_after("getBalance") == pytest.approx(0.1)


async def test_call__airdrop__is_never_asked_of_a_second_node_for_slowness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "SLOW_AT_FIRST", 0.05)
    async with nodes(100, 100) as [first, second], rpc_of(first, second) as rpc:
        first.delay = 0.3
        await rpc.call("requestAirdrop", ["1" * 32, 1, CONFIRMED], str)
        assert (first.calls["requestAirdrop"], second.calls["requestAirdrop"]) == (1, 0)


@pytest.mark.parametrize(
    ("said", "believed"),
    [((1_000, 1_002), 1_000), ((1_000, 10**9), 1_000), ((1_000, 1_001, 10**9), 1_001), ((1, 1_001, 1_002), 1_001)],
)
async def test_height__nodes_that_differ__one_alone_is_not_believed(said: tuple[int, ...], believed: int) -> None:
    async with nodes(*said) as asked, rpc_of(*asked) as rpc:
        assert await height(rpc) == believed


async def test_height__one_node_alone_answers__is_not_believed() -> None:
    async with nodes(1_000, 1_000) as [first, second], rpc_of(first, second) as rpc:
        assert await height(rpc) == 1_000
        second.status = 503
        with pytest.raises(UnreachableRpc, match="1 of 2 nodes"):
            await height(rpc)


async def test_call__node_that_has_fallen_behind__goes_last() -> None:
    async with nodes(1_000, 1_100, 1_101) as asked, rpc_of(*asked) as rpc:
        await balance(rpc)
        assert [node.calls["getBalance"] for node in asked] == [0, 1, 0]
        assert [each.lag for each in rpc.endpoints] == [100, 0, 0]


@pytest.mark.parametrize("honest", [True, False], ids=["says so", "hides it"])
async def test_call__after_an_answer_of_a_slot__no_older_one_is_given(honest: bool) -> None:
    async with nodes(1_020, 1_000) as [first, second], rpc_of(first, second) as rpc:
        second.honours_least = honest
        assert await balance(rpc) == 7
        first.status = 503
        with pytest.raises((RpcRefused, UnreachableRpc)):
            await balance(rpc)
        assert second.calls["getBalance"] >= 1
        second.slot = 1_020
        assert await balance(rpc) == 7


async def test_call__slot_that_no_other_node_supports__binds_nobody() -> None:
    async with nodes(10**12, 1_000, 1_000) as [liar, second, third], rpc_of(liar, second, third) as rpc:
        assert await balance(rpc) == 7
        liar.status = 503
        assert await balance(rpc) == 7
        assert second.calls["getBalance"] + third.calls["getBalance"] == 1


def transaction() -> VersionedTransaction:
    payer = Keypair()
    return VersionedTransaction(MessageV0.try_compile(payer.pubkey(), [], [], Hash.default()), [payer])


async def test_send_transaction__several_nodes__goes_to_all_that_are_well() -> None:
    async with nodes(100, 100, 100) as [first, second, third]:
        urls = ",".join(node.url for node in (first, second, third))
        async with NodeClient(urls, timeout=PATIENCE) as client:
            second.status, third.delay = 503, 0.1
            await client.send_transaction(transaction(), preflight=False)
            await until(lambda: all(node.calls["sendTransaction"] for node in (first, second, third)))
        assert [node.calls["sendTransaction"] for node in (first, second, third)] == [1, 1, 1]


async def test_send_transaction__one_node_refuses_and_another_takes_it__is_sent() -> None:
    async with nodes(100, 100) as [first, second]:
        first.refusal = (-32002, "Blockhash not found")
        async with NodeClient(f"{first.url},{second.url}", timeout=PATIENCE) as client:
            assert await client.send_transaction(transaction(), preflight=True) == Signature.default()


QUICK_TIMING = Timing(poll=0.01, rebroadcast=5, patience=0.4)


async def test_await_landing__node_that_lies_about_the_height__has_nothing_expire() -> None:
    async with (
        nodes(1_000, 10**6) as [first, second],
        NodeClient(f"{second.url},{first.url}", timeout=PATIENCE) as client,
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await await_landing(client, Signature.default(), 2_000, timing=QUICK_TIMING)


async def test_await_landing__one_node_alone_says_the_height__is_unknown_and_not_expired() -> None:
    async with (
        nodes(5_000, 5_000) as [first, second],
        NodeClient(f"{first.url},{second.url}", timeout=PATIENCE) as client,
    ):
        second.status = 503
        with pytest.raises(OutcomeUnknown) as raised:
            await await_landing(client, Signature.default(), 2_000, timing=QUICK_TIMING)
        assert not isinstance(raised.value, TransactionExpired)


async def test_call_many__node_that_takes_batches__is_asked_once() -> None:
    async with nodes(100) as [only], rpc_of(only) as rpc:
        found = await call_many(rpc, "getTransaction", [([str(number)], result) for number in range(10)])
        assert found == [str(number) for number in range(10)] and len(only.requests) == 1


async def test_call_many__node_that_takes_none__is_asked_one_by_one_from_then_on() -> None:
    async with nodes(100) as [only], rpc_of(only) as rpc:
        only.takes_batches = False
        for _ in range(2):
            found = await call_many(rpc, "getTransaction", [([str(number)], result) for number in range(3)])
            assert found == ["0", "1", "2"]
        assert sum(isinstance(asked, list) for asked in only.requests) == 1


def result(raw: str) -> str:
    return str(json.loads(raw)["result"])


async def test_error__of_any_node__keeps_its_key() -> None:
    async with nodes(100, 100) as [first, second]:
        urls = [f"{node.url}/c0ffee5ec2e7c0ffee5ec2e7?api-key=5ec2e7c0ffee" for node in (first, second)]
        async with JsonRpc(urls, timeout=PATIENCE, retries=QUICK) as rpc:
            first.status = second.status = 503
            with pytest.raises(UnreachableRpc) as raised:
                await balance(rpc)
            assert HIDDEN in str(raised.value) and "c0ffee" not in str(raised.value)
            assert [f"http://{each.host}" for each in rpc.endpoints] == [first.url, second.url]


async def test_metrics__each_node__says_how_it_does_and_no_key() -> None:
    registry, metrics = CollectorRegistry(), NodeMetrics()
    registry.register(metrics)
    async with nodes(1_100, 1_100, 1_000) as [busy, well, behind]:
        urls = [f"{node.url}/c0ffee5ec2e7c0ffee5ec2e7" for node in (busy, well, behind)]
        async with JsonRpc(urls, timeout=PATIENCE, retries=QUICK) as rpc:
            with metrics.watching("index", rpc.endpoints):
                await balance(rpc)
                busy.status, busy.headers = 429, "Retry-After: 60\r\n"
                await balance(rpc)

                def value(name: str, node: Node, **labels: str) -> float | None:
                    names = {"client": "index", "node": node.url.removeprefix("http://")}
                    return registry.get_sample_value(f"gpu_market_rpc_{name}", names | labels)

                assert (value("requests_total", busy), value("requests_total", well)) == (3, 2)
                assert value("errors_total", busy, kind="rate_limited") == 1
                assert value("seconds_count", well) == 2 and value("seconds_bucket", well, le="10.0") == 2
                assert (value("slot_lag", behind), value("slot_lag", well)) == (100, 0)
                assert 50 < (value("resting_seconds", busy) or 0) <= 60
                assert (value("doubted", busy), value("doubted", well)) == (1, 0)
                assert b"c0ffee" not in generate_latest(registry)
    assert value("requests_total", well) is None
