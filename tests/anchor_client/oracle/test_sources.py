"""Sources of prices, as servers of ours that tell the truth, lie, lag and die."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from anchor_client.oracle.errors import SourceFailed
from anchor_client.oracle.settings import OracleSettings
from anchor_client.oracle.sources import KINDS, MOST_BYTES, Source
from anchor_client.service.errors import BadSetting
from tests.anchor_client.solana.servers import Server, serving
from tests.processes.patience import PATIENCE

FEED = "ef0d8b6fda2ceba41da15d4095d1da392a0d2f8ed0c6c7bc0f4cfac8c280b56d"
WHAT = {"pyth": FEED, "coinbase": "SOL-USD", "bitstamp": "solusd"}


def told(kind: str, price: str, at: float) -> Any:
    """An API's answer."""
    if kind == "coinbase":
        return {"price": price, "time": datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")}
    if kind == "bitstamp":
        return {"last": price, "timestamp": str(int(at)), "volume": "1"}
    whole, _, part = price.partition(".")
    quoted = {"price": whole + part, "conf": "1", "expo": -len(part), "publish_time": int(at)}
    return {"parsed": [{"id": FEED, "price": quoted}]}


def answer(text: str, status: int = 200) -> bytes:
    return f"HTTP/1.1 {status} x\r\nContent-Length: {len(text.encode())}\r\n\r\n{text}".encode()


@asynccontextmanager
async def source_of(kind: str, said: bytes | asyncio.Event | None) -> AsyncIterator[tuple[Source, Server]]:
    """A source that answers so, hangs up (None), or says nothing until an event."""

    async def serve(request: bytes) -> bytes | None:
        if isinstance(said, asyncio.Event):
            await said.wait()
            return None
        return said

    async with serving(serve) as server:
        yield Source.parse(f"{kind}:{WHAT[kind]}@{server.url}"), server


@pytest.mark.parametrize("kind", KINDS)
async def test_source__tells_the_truth__is_quoted_in_pico_usd(kind: str) -> None:
    at = int(time.time()) - 7
    async with source_of(kind, answer(json.dumps(told(kind, "142.123456", at)))) as (source, server):
        quote = await source.quote(PATIENCE)
    assert (quote.source, quote.pico_usd, quote.at) == (f"{kind}:{WHAT[kind]}", 142_123_456_000_000, at)
    target = server.requests[0].split()[1].decode()
    assert WHAT[kind] in target and server.requests[0].startswith(b"GET ")


NONSENSE = {
    "html": answer("<html>Sorry</html>"),
    "nothing": answer(""),
    "a list": answer("[]"),
    "null": answer("null"),
    "other fields": answer('{"message": "NotFound"}'),
    "deep": answer("[" * 50_000),
    "429": answer("{}", 429),
    "503": answer("{}", 503),
    "redirect": answer("{}", 302),
    "hangs up": None,
    "no http": b"\x00\xff\r\n\r\n",
    "endless": b"HTTP/1.1 200 x\r\nContent-Length: 99999999\r\n\r\n" + b" " * (2 * MOST_BYTES),
}


@pytest.mark.parametrize("said", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize("kind", KINDS)
async def test_source__nonsense_or_death__is_a_named_failure(kind: str, said: bytes | None) -> None:
    async with source_of(kind, said) as (source, _):
        with pytest.raises(SourceFailed, match=f"^{kind}:"):
            await source.quote(PATIENCE)


@pytest.mark.parametrize(
    "price", ["NaN", "Infinity", "-1", "0", "0.0", "1e30", "1e999999999", "0.0000000000001", "ten"]
)
@pytest.mark.parametrize("kind", ["coinbase", "bitstamp"])
async def test_source__price_that_is_none__is_refused(kind: str, price: str) -> None:
    for said in (told(kind, price, time.time()), told(kind, "PRICE", time.time())):
        text = json.dumps(said).replace('"PRICE"', price if price != "ten" else "null")
        async with source_of(kind, answer(text)) as (source, _):
            with pytest.raises(SourceFailed):
                await source.quote(PATIENCE)


@pytest.mark.parametrize(
    ("field", "value"), [("price", "-5"), ("price", "0"), ("conf", "9000000"), ("expo", 4_000), ("expo", "x")]
)
async def test_source__of_pyth_that_cannot_be_a_price__is_refused(field: str, value: Any) -> None:
    said = told("pyth", "142.123456", time.time())
    said["parsed"][0]["price"][field] = value
    async with source_of("pyth", answer(json.dumps(said))) as (source, _):
        with pytest.raises(SourceFailed):
            await source.quote(PATIENCE)


async def test_source__of_pyth_of_another_feed__is_refused() -> None:
    said = told("pyth", "142.1", time.time())
    said["parsed"][0]["id"] = "00" * 32
    async with source_of("pyth", answer(json.dumps(said))) as (source, _):
        with pytest.raises(SourceFailed):
            await source.quote(PATIENCE)


async def test_source__never_answers__is_given_up() -> None:
    over = asyncio.Event()
    async with source_of("coinbase", over) as (source, _):
        with pytest.raises(SourceFailed, match="does not answer"):
            await source.quote(0.2)
        over.set()


async def test_source__nobody_there__is_a_named_failure() -> None:
    async with source_of("coinbase", None) as (source, _):
        pass
    with pytest.raises(SourceFailed, match="cannot be reached"):
        await source.quote(PATIENCE)


async def test_source__of_a_file__is_as_old_as_its_last_change(tmp_path: Path) -> None:
    file = tmp_path / "price"
    file.write_text("0.05\n")
    os.utime(file, (1_000, 1_000))
    quote = await Source.parse(f"file:{file}").quote(1)
    assert (quote.pico_usd, quote.at) == (50_000_000_000, 1_000)
    for wrong in ("", "five", "0", "1" * 200):
        file.write_text(wrong)
        with pytest.raises(SourceFailed):
            await Source.parse(f"file:{file}").quote(1)
    file.unlink()
    with pytest.raises(SourceFailed):
        await Source.parse(f"file:{file}").quote(1)


async def test_source__fixed__is_of_now() -> None:
    quote = await Source.parse("fixed:0.05").quote(1)
    assert quote.pico_usd == 50_000_000_000 and abs(quote.at - time.time()) < PATIENCE


@pytest.mark.parametrize(
    "text",
    [
        "coinbase",
        "coinbase:",
        "kraken:SOL",
        "pyth:a/b",
        "coinbase:a b",
        "file:x@http://y",
        "fixed:x",
        "fixed:0",
        "bitstamp:x@",
    ],
)
def test_settings__what_is_no_source__is_named(text: str) -> None:
    with pytest.raises(BadSetting, match="sources is not valid"):
        OracleSettings(sources=f"fixed:1,{text}")


def test_settings__least_sources__are_more_than_half() -> None:
    for count, least in ((1, 1), (2, 2), (3, 2), (4, 3)):
        assert OracleSettings(sources=",".join(f"fixed:{price + 1}" for price in range(count))).bounds.least == least
    assert OracleSettings(sources="fixed:1,fixed:2", least_sources=1).bounds.least == 1


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        ("fixed:1", "fixed:1.0", "fixed:1"),
        ("fixed:0.05", "fixed:5e-2", "fixed:0.05"),
        ("fixed:100", "fixed:1e2", "fixed:100"),
        ("coinbase:SOL-USD", "coinbase:SOL-USD@http://mirror", "coinbase:SOL-USD"),
        ("coinbase:SOL-USD", "coinbase:sol-usd", "coinbase:SOL-USD"),
        ("bitstamp:solusd@http://a", "bitstamp:SOLUSD@http://b", "bitstamp:solusd"),
        (f"pyth:{FEED}", f"pyth:0X{FEED.upper()}", f"pyth:{FEED}"),
        ("file:/var/../price", "file:/price", "file:/price"),
    ],
)
def test_settings__one_source_twice__is_refused_however_it_is_spelled(one: str, other: str, name: str) -> None:
    for both in (f"{one},fixed:7,{other}", f"{other},{one}"):
        with pytest.raises(BadSetting, match=re.escape(f"name {name} 2 times")) as refused:
            OracleSettings(sources=both)
    assert "Name each source once" in refused.value.remedy
    assert [source.name for source in OracleSettings(sources=other).named] == [name]


def test_settings__one_file_by_two_paths__is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "price")
    with pytest.raises(BadSetting, match="2 times"):
        OracleSettings(sources=f"file:{tmp_path / 'price'},file:{tmp_path / 'link'}")


def test_settings__kinds_of_one_token__are_sources_of_their_own() -> None:
    settings = OracleSettings(sources=f"pyth:{FEED},coinbase:SOL-USD,bitstamp:solusd,coinbase:SOL-EUR")
    assert len(settings.named) == 4
