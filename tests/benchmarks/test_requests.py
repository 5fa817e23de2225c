"""The generator keeps its rate whatever the server does, and hides none of the wait."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import struct

import pytest

from benchmarks.load.requests import LoadPlan, Route, generate, open_session, run_elsewhere
from tests.benchmarks.answering import OK, answering


def plan(url: str, **changes: float) -> LoadPlan:
    values = {"rate": 200.0, "warm_up_seconds": 0.0, "seconds": 0.5} | changes
    return LoadPlan(url, routes=[Route("one", 3, ["/1", "/2"]), Route("other", 1, ["/3"])], **values)


async def test_generate__server_that_answers_nobody_until_all_have_asked__is_asked_all_the_same() -> None:
    waiting, enough = 0, asyncio.Event()

    async def respond(path: str) -> bytes:
        nonlocal waiting
        waiting += 1
        if waiting == 20:
            enough.set()
        await enough.wait()
        return OK

    async with answering(respond) as url:
        answers = await generate(plan(url))
    assert len(answers) == waiting >= 20
    assert {answer.status for answer in answers} == {200}
    first, last = answers[0], answers[-1]
    assert first.seconds > last.seconds, "the first waited for the twentieth"


async def test_generate__same_seed__asks_the_same() -> None:
    paths: list[str] = []

    async def respond(path: str) -> bytes:
        paths.append(path)
        return OK

    async with answering(respond) as url:
        first = [answer.route for answer in await generate(plan(url))]
        second = [answer.route for answer in await generate(plan(url))]
    assert first == second
    assert set(paths) == {"/1", "/2", "/3"}
    assert first.count("one") > first.count("other")


async def test_generate__while_it_asks__its_memory_is_not_searched() -> None:
    searched: list[bool] = []

    async def respond(path: str) -> bytes:
        searched.append(gc.isenabled())
        return OK

    async with answering(respond) as url:
        answers = await generate(plan(url))
    assert answers and not any(searched) and gc.isenabled()


async def test_generate__warm_up__is_not_kept() -> None:
    asked = 0

    async def respond(path: str) -> bytes:
        nonlocal asked
        asked += 1
        return OK

    async with answering(respond) as url:
        answers = await generate(plan(url, warm_up_seconds=0.5))
    assert 0 < len(answers) < asked


@pytest.mark.parametrize("answer", [b"", b"220 mail\r\nContent-Length: 1\r\n\r\nx"])
async def test_generate__server_that_hangs_up_or_speaks_another_protocol__counts_as_failed(answer: bytes) -> None:
    async def respond(path: str) -> bytes:
        return answer

    async with answering(respond) as url:
        answers = await generate(plan(url))
    assert {answer.status for answer in answers} == {0}


async def test_run_elsewhere__child_process__brings_its_answers_back() -> None:
    async def respond(path: str) -> bytes:
        return OK if path != "/3" else b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"

    async with answering(respond) as url:
        answers = await run_elsewhere(plan(url))
    assert {(answer.route, answer.status) for answer in answers} == {("one", 200), ("other", 503)}


async def ask(url: str, times: int) -> list[int]:
    """The statuses of requests after each other, of one session."""
    async with open_session(url) as session:
        statuses = []
        for _ in range(times):
            async with session.get("/") as answer:
                await answer.read()
                statuses.append(answer.status)
        return statuses


async def test_open_session__many_after_each_other__share_a_connection() -> None:
    async def respond(path: str) -> bytes:
        return OK

    opened: list[str] = []
    async with answering(respond, opened) as url:
        assert await ask(url, 3) == [200] * 3
    assert len(opened) == 1


async def test_open_session__idle_connection_closed_by_the_server__asks_on_a_new_one() -> None:
    """The server hangs up on the second request it sees, without an answer."""
    asked = 0

    async def respond(path: str) -> bytes:
        nonlocal asked
        asked += 1
        return b"" if asked == 2 else OK

    opened: list[str] = []
    async with answering(respond, opened) as url:
        assert await ask(url, 3) == [200] * 3
    assert (asked, len(opened)) == (4, 2)


async def test_open_session__idle_connection_reset_by_the_server__asks_on_a_new_one() -> None:
    """The server resets a connection as the second request arrives on it."""
    opened = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal opened
        opened += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(OK)
        with contextlib.suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        assert await ask(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", 2) == [200] * 2
    assert opened == 2
