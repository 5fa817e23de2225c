"""A single node that hangs or is slow: it is asked once more, and each answer counts."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable

from solders.rpc.responses import GetBalanceResp

from anchor_client.solana.answers import answer_of
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries
from tests.processes.patience import PATIENCE

SEVEN = HttpAnswer(200, '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":7}}')
FAILED = HttpAnswer(503, "")


class Numbered:
    """A node that answers each call by its method and its number, from one on."""

    def __init__(self, answer: Callable[[str, int], Awaitable[HttpAnswer]]) -> None:
        self.calls: Counter[str] = Counter()
        self._answer = answer

    async def post(self, body: bytes) -> HttpAnswer:
        method = json.loads(body)["method"]
        self.calls[method] += 1
        return await self._answer(method, self.calls[method])

    async def close(self) -> None:
        """There is nothing to close."""


def rpc_of(node: Numbered) -> JsonRpc:
    return JsonRpc(
        "http://node.example", retries=Retries(1), timeout=PATIENCE, asked_again=0.02, connect=lambda _: node
    )


async def balance(rpc: JsonRpc) -> int:
    async with asyncio.timeout(PATIENCE):
        return await rpc.call("getBalance", ["1" * 32, {}], answer_of(GetBalanceResp))


async def test_call__node_hung__is_asked_again_until_it_answers() -> None:
    async def answer(_: str, number: int) -> HttpAnswer:
        if number <= 3:
            await asyncio.Event().wait()
        return SEVEN

    node = Numbered(answer)
    async with rpc_of(node) as rpc:
        assert await balance(rpc) == 7
        assert node.calls["getBalance"] >= 4
        assert rpc.endpoints[0].counts.hedges == node.calls["getBalance"] - 1


async def test_call__node_slow__takes_the_first_answer_though_later_calls_hang() -> None:
    first = asyncio.Event()

    async def answer(_: str, number: int) -> HttpAnswer:
        if number == 1:
            await first.wait()
            return SEVEN
        if number >= 3:
            first.set()
        await asyncio.Event().wait()
        return FAILED

    async with rpc_of(Numbered(answer)) as rpc:
        assert await balance(rpc) == 7


async def test_call__node_slow__takes_the_first_answer_though_later_calls_fail() -> None:
    first = asyncio.Event()

    async def answer(_: str, number: int) -> HttpAnswer:
        if number == 1:
            await first.wait()
            return SEVEN
        if number >= 3:
            first.set()
        return FAILED

    async with rpc_of(Numbered(answer)) as rpc:
        assert await balance(rpc) == 7


async def test_call__airdrop_of_a_slow_node__is_asked_for_once() -> None:
    others_asked = asyncio.Event()

    async def answer(method: str, number: int) -> HttpAnswer:
        if method == "requestAirdrop":
            await others_asked.wait()
        elif number <= 3:
            await asyncio.Event().wait()
        else:
            others_asked.set()
        return SEVEN

    node = Numbered(answer)
    async with rpc_of(node) as rpc, asyncio.timeout(PATIENCE):
        await asyncio.gather(rpc.call("requestAirdrop", ["1" * 32, 1], str), balance(rpc))
        assert node.calls["requestAirdrop"] == 1
