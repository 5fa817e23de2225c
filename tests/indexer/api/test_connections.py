"""Clients that take too long or too many connections, against the service on a port of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from indexer.api.http.bodies import MAX_BODY_BYTES
from indexer.api.http.connections import MAX_HEAD_BYTES
from indexer.api.workers.worker import server_of
from indexer.settings import IndexerSettings
from localnet.server import LocalCluster
from tests.indexer.service import indexed, metrics_of, until

HEAD = b"GET /api/gpus HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def serving(local: LocalCluster, tmp_path: Path, **settings: float) -> AsyncIterator[httpx.AsyncClient]:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", **settings) as api:
        yield api


@asynccontextmanager
async def connected(api: httpx.AsyncClient, count: int) -> AsyncIterator[list[Stream]]:
    """Connections of their own."""
    streams = [await asyncio.open_connection("127.0.0.1", api.base_url.port) for _ in range(count)]
    try:
        yield streams
    finally:
        for _, writer in streams:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def ended(stream: Stream) -> bytes:
    """Bytes received until the server ends the connection."""
    async with asyncio.timeout(60):
        try:
            return await stream[0].read()
        except ConnectionError:
            return b""


@pytest.mark.parametrize(
    ("sent", "drip"),
    [(b"", b""), (HEAD, b"X: y\r\n"), (POST, b" "), (b"\r\n", b"\r\n"), (HEAD + b"\r\n", b"G")],
    ids=["silence", "headers", "body", "empty lines", "second request"],
)
async def test_connection__request_that_never_ends__is_dropped(
    local: LocalCluster, tmp_path: Path, sent: bytes, drip: bytes
) -> None:
    async with serving(local, tmp_path, request_timeout=0.5) as api, connected(api, 5) as slow:

        async def dripping(writer: asyncio.StreamWriter) -> None:
            writer.write(sent)
            while not writer.is_closing():
                writer.write(drip)
                await asyncio.sleep(0.1)

        drips = [asyncio.create_task(dripping(writer)) for _, writer in slow]
        await asyncio.gather(*map(ended, slow))
        for task in drips:
            task.cancel()
        await asyncio.gather(*drips, return_exceptions=True)
        assert (await api.get("/api/gpus")).status_code == 200


@pytest.mark.exhaustive
async def test_connection__answers_that_nobody_reads__is_dropped(local: LocalCluster, tmp_path: Path) -> None:
    async with serving(local, tmp_path, response_timeout=0.5) as api, connected(api, 3) as deaf:
        for _, writer in deaf:
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write((HEAD.replace(b"/api/gpus", b"/openapi.json") + b"\r\n") * 200)

        async def dropped() -> bool:
            metrics = await metrics_of(api)
            return 'gpu_market_api_connections_dropped_total{reason="response"}' in metrics

        await until(dropped, seconds=60)


async def test_connection__headers_without_end__are_too_large(local: LocalCluster, tmp_path: Path) -> None:
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(HEAD + b"X: " + b"y" * 100_000)
        assert b" 431 " in await ended(stream)


async def test_connection__headers_a_little_too_large_at_once__are_refused(local: LocalCluster, tmp_path: Path) -> None:
    async with serving(local, tmp_path) as api, connected(api, 2) as [over, under]:
        for each, size in ((over, MAX_HEAD_BYTES), (under, MAX_HEAD_BYTES - 1_000)):
            each[1].write(HEAD + b"Connection: close\r\nX: " + b"y" * size + b"\r\n\r\n")
        assert b" 431 " in await ended(over)
        assert b" 200 " in await ended(under)


@pytest.mark.parametrize("cuts", [[], [1_000], [30_000, MAX_HEAD_BYTES - 1]], ids=["at once", "in two", "in three"])
async def test_connection__head_of_exactly_the_most__is_answered_and_one_byte_more_is_not(
    local: LocalCluster, tmp_path: Path, cuts: list[int]
) -> None:
    begins = HEAD + b"Connection: close\r\nX: "
    async with serving(local, tmp_path) as api, connected(api, 3) as streams:
        for stream, size in zip(streams, range(MAX_HEAD_BYTES - 1, MAX_HEAD_BYTES + 2), strict=True):
            head = begins + b"y" * (size - len(begins) - 4) + b"\r\n\r\n"
            assert len(head) == size
            for start, end in pairwise([0, *cuts, size]):
                stream[1].write(head[start:end])
                await stream[1].drain()
                await asyncio.sleep(0)
        answers = [await ended(stream) for stream in streams]
    assert [answer.split()[1] for answer in answers] == [b"200", b"200", b"431"]


BEGINS = HEAD + b"Connection: close\r\n"
CHUNKED = POST.replace(b"Content-Length: 50", b"Transfer-Encoding: chunked")


def filled(size: int, fill: bytes, ends: bytes = b"\r\n") -> bytes:
    """A head of that size, all but a few of them `fill`, before what `ends` a header."""
    begins = BEGINS + b"X:"
    return begins + fill * ((size - len(begins) - len(ends) - 2) // len(fill)) + ends + b"\r\n"


@pytest.mark.parametrize(
    "before", [b"", b"\r\n\r\n", HEAD + b"\r\n", POST + b" " * 50], ids=["", "lines", "get", "post"]
)
@pytest.mark.parametrize(
    ("fill", "ends"), [(b" ", b"y\r\n"), (b"\t", b"\r\n"), (b" ", b"\r\n")], ids=["before", "tabs", "nothing else"]
)
async def test_connection__head_of_spaces__counts_every_byte(
    local: LocalCluster, tmp_path: Path, before: bytes, fill: bytes, ends: bytes
) -> None:
    """The parser reports none of them."""
    async with serving(local, tmp_path) as api, connected(api, 3) as streams:
        for stream, size in zip(streams, (MAX_HEAD_BYTES, MAX_HEAD_BYTES + 1, 70_000), strict=True):
            head = filled(size, fill, ends)
            assert len(head) == size
            stream[1].write(before + head)
        answers = [await ended(stream) for stream in streams]
    assert [answer.count(b" 431 ") for answer in answers] == [0, 1, 1]
    assert b"HTTP/1.1 200 " in answers[0]


async def test_connection__head_of_spaces_behind_chunks__is_too_large(local: LocalCluster, tmp_path: Path) -> None:
    body = b"2\r\n{}\r\n0\r\n\r\n"
    async with serving(local, tmp_path) as api, connected(api, 2) as [over, under]:
        over[1].write(CHUNKED + body + filled(MAX_HEAD_BYTES + 1, b" "))
        under[1].write(CHUNKED + body + filled(MAX_HEAD_BYTES - len(body), b" "))
        assert b" 431 " in await ended(over)
        assert b"HTTP/1.1 200 " in await ended(under)


async def test_connection__trailer_that_has_no_end__is_dropped(local: LocalCluster, tmp_path: Path) -> None:
    """The parser keeps a value until its end."""
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(CHUNKED + b"2\r\n{}\r\n0\r\nX: " + b"y" * 10 * MAX_HEAD_BYTES)
        assert b" 2" not in await ended(stream)
        assert 'gpu_market_api_connections_dropped_total{reason="head"}' in await metrics_of(api)


async def test_connection__tiny_chunks__are_no_head(local: LocalCluster, tmp_path: Path) -> None:
    """Their sizes are more bytes than a head may have."""
    sent = CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + b"1\r\n \r\n" * MAX_HEAD_BYTES
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(sent + b"0\r\n\r\n")
        assert b" 422 " in await ended(stream)


async def test_connection__many_small_headers__count_as_they_were_sent(local: LocalCluster, tmp_path: Path) -> None:
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        header = b"X: y\r\n"
        stream[1].write(HEAD + header * (MAX_HEAD_BYTES // len(header)) + b"\r\n")
        assert b" 431 " in await ended(stream)


async def test_connection__trailers_without_end__are_dropped(local: LocalCluster, tmp_path: Path) -> None:
    sent = POST.replace(b"Content-Length: 50", b"Transfer-Encoding: chunked") + b"0\r\n"
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(sent + b"X: yyyyyyyyyyyyyyyy\r\n" * 10_000)
        assert b" 2" not in await ended(stream)
        assert 'gpu_market_api_connections_dropped_total{reason="head"}' in await metrics_of(api)


async def test_connection__chunks_beyond_the_most__are_one_refusal_and_the_next_request_is_answered(
    local: LocalCluster, tmp_path: Path
) -> None:
    head = POST.replace(b"Content-Length: 50", b"Transfer-Encoding: chunked")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(head)
        for _ in range(MAX_BODY_BYTES // 0x10000 + 3):
            stream[1].write(chunk)
            await stream[1].drain()
        stream[1].write(b"0\r\n\r\n" + HEAD + b"Connection: close\r\n\r\n")
        answers = await ended(stream)
    assert answers.count(b"HTTP/1.1 ") == 2
    assert answers.startswith(b"HTTP/1.1 413 ") and b"HTTP/1.1 200 " in answers


async def test_connection__large_body_at_once__is_no_header(local: LocalCluster, tmp_path: Path) -> None:
    sent = POST.replace(b": 50", f": {MAX_BODY_BYTES}".encode()).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    async with serving(local, tmp_path) as api, connected(api, 1) as [stream]:
        stream[1].write(sent + b" " * MAX_BODY_BYTES)
        assert b" 422 " in await ended(stream)


async def test_connections__of_one_client_beyond_its_share__the_slowest_make_room(
    local: LocalCluster, tmp_path: Path
) -> None:
    async with (
        serving(local, tmp_path, max_connections_per_client=10) as api,
        connected(api, 9) as slow,
        connected(api, 3) as later,
    ):
        for _, writer in slow:
            writer.write(HEAD)
        assert (await api.get("/api/gpus")).status_code == 200
        assert [await ended(stream) for stream in slow[:2]] == [b"", b""]
        later[-1][1].write(HEAD + b"Connection: close\r\n\r\n")
        assert b" 200 " in await ended(later[-1])


async def test_connections__300_slow_ones__keep_nobody_from_an_answer(local: LocalCluster, tmp_path: Path) -> None:
    async with serving(local, tmp_path) as api, connected(api, 300) as slow:
        for _, writer in slow[::2]:
            writer.write(HEAD)
        for _, writer in slow[1::2]:
            writer.write(POST)
        for _ in range(20):
            assert (await api.get("/api/gpus")).status_code == 200
        metrics = await metrics_of(api)
    assert 'gpu_market_api_connections_dropped_total{reason="room"}' in metrics


async def test_connections__answers_that_nobody_reads__keep_nobody_from_an_answer(
    local: LocalCluster, tmp_path: Path
) -> None:
    async with serving(local, tmp_path, max_connections=8, requests_per_client=10_000.0) as api:
        async with connected(api, 8) as deaf:
            for _, writer in deaf:
                writer.transport.pause_reading()  # type: ignore[attr-defined]
                writer.write((HEAD.replace(b"/api/gpus", b"/openapi.json") + b"\r\n") * 200)

            async def is_answered() -> bool:
                async with connected(api, 1) as [honest]:
                    honest[1].write(HEAD + b"Connection: close\r\n\r\n")
                    return b" 200 " in await ended(honest)

            for _ in range(3):
                await until(is_answered)
        assert 'gpu_market_api_connections_dropped_total{reason="room"}' in await metrics_of(api)


def test_server__idle_connection__is_kept_for_longer_than_clients_and_proxies_do() -> None:
    """Whoever closes first decides whether a request is lost: nginx keeps a connection for 60 s."""
    server = server_of(IndexerSettings(), object())
    assert server.config.timeout_keep_alive > 60 > httpx.Limits().keepalive_expiry
