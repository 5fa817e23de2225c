"""One call of a node: what is tried again, for how long, and what is not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest
from solders.rpc.responses import GetBlockHeightResp, GetMultipleAccountsResp

from anchor_client.errors import RateLimited, RpcRefused, UnreachableRpc, UnreadableAnswer, WrongEndpoint
from anchor_client.service.backoff import Backoff
from anchor_client.solana.answers import answer_of, answers_of
from anchor_client.solana.http.answer import HttpAnswer
from anchor_client.solana.json_rpc import JsonRpc, Retries
from tests.anchor_client.solana.links import Answering
from tests.processes.patience import PATIENCE

GOOD = HttpAnswer(200, '{"jsonrpc":"2.0","id":1,"result":7}')
BUSY = HttpAnswer(429, "")
NULL = HttpAnswer(200, '{"jsonrpc":"2.0","id":1,"result":null}')
HTML = HttpAnswer(200, "<html>")
AWAY = HttpAnswer(503, "")


def refused(code: int) -> HttpAnswer:
    return HttpAnswer(200, f'{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no"}}}}')


class Scripted(JsonRpc):
    """Gives one answer after the other."""

    def __init__(self, answers: Sequence[HttpAnswer], attempts: int = 3) -> None:
        super().__init__(
            "http://node.example",
            retries=Retries(attempts, Backoff(0, 0.01)),
            connect=lambda _: Answering(lambda _: self.answers.pop(0)),
        )
        self.answers = list(answers)


async def height(rpc: JsonRpc) -> int:
    return await rpc.call("getBlockHeight", [], answer_of(GetBlockHeightResp))


@pytest.mark.parametrize("passing", [BUSY, NULL, HTML, AWAY, refused(-32005), refused(-32016), refused(429)], ids=str)
async def test_call__failure_that_may_pass__is_made_again(passing: HttpAnswer) -> None:
    rpc = Scripted([passing, passing, GOOD])
    async with asyncio.timeout(PATIENCE):
        assert await height(rpc) == 7
    assert rpc.answers == []


@pytest.mark.parametrize(
    ("answer", "error", "attempts"),
    [
        (BUSY, RateLimited, 6),
        (refused(-32016), RpcRefused, 6),
        (refused(-32429), RateLimited, 6),
        (NULL, UnreadableAnswer, 3),
        (HTML, UnreadableAnswer, 3),
        (AWAY, UnreachableRpc, 3),
        (refused(-32005), RpcRefused, 3),
    ],
    ids=str,
)
async def test_call__failure_that_stays__is_named_after_the_last_attempt(
    answer: HttpAnswer, error: type[Exception], attempts: int
) -> None:
    rpc = Scripted([answer] * 7)
    with pytest.raises(error):
        await height(rpc)
    assert len(rpc.answers) == 7 - attempts


async def test_call__limit_that_says_when_it_ends_too_late__is_named_at_once() -> None:
    rpc = Scripted([HttpAnswer(429, "", retry_after="60"), GOOD])
    with pytest.raises(RateLimited):
        await height(rpc)
    assert rpc.answers == [GOOD]


@pytest.mark.parametrize(
    ("answer", "error"),
    [(HttpAnswer(403, ""), WrongEndpoint), (HttpAnswer(302, ""), WrongEndpoint), (refused(-32602), RpcRefused)],
    ids=str,
)
async def test_call__failure_that_stays_one__is_not_made_again(answer: HttpAnswer, error: type[Exception]) -> None:
    rpc = Scripted([answer, GOOD])
    with pytest.raises(error):
        await height(rpc)
    assert rpc.answers == [GOOD]


async def test_call__fewer_values_than_asked_for__is_unreadable() -> None:
    text = '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":[]}}'
    with pytest.raises(UnreadableAnswer, match="0 values instead of 2"):
        await Scripted([HttpAnswer(200, text)] * 3).call(
            "getMultipleAccounts", [], answers_of(GetMultipleAccountsResp, 2)
        )


@pytest.fixture
async def trickling() -> AsyncIterator[str]:
    """A node whose answer never ends, a byte at a time."""

    answering: set[asyncio.Task[None] | None] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.add(asyncio.current_task())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while not reader.at_eof():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.wait([task for task in answering if task is not None])


async def test_call__answer_that_trickles__is_given_up(trickling: str) -> None:
    async with JsonRpc(trickling, timeout=0.1, retries=Retries(attempts=1)) as rpc, asyncio.timeout(PATIENCE):
        with pytest.raises(UnreachableRpc, match="does not answer in time"):
            await height(rpc)
