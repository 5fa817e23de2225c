"""Redaction of keys in URLs."""

from __future__ import annotations

import logging

import pytest

from anchor_client import errors
from anchor_client.market import Market
from anchor_client.service.redaction import Endpoint, redact, scrub
from market_cli.logs import Scrubbing
from tests.anchor_client.solana.proxy import Proxy

KEY = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8899", "http://127.0.0.1:8899"),
        ("https://rpc.example/", "https://rpc.example/"),
        (f"https://rpc.example/?api-key={KEY}", "https://rpc.example/***"),
        (f"https://rpc.example:8443/v2/{KEY}", "https://rpc.example:8443/***"),
        (f"wss://user:{KEY}@rpc.example", "wss://***@rpc.example"),
        (f"https://rpc.example#{KEY}", "https://rpc.example/***"),
        (f"http://node:port?{KEY}", "http://node:port/***"),
        (f"http://[::1/{KEY}", "http://[::1/***"),
        (f"postgresql://market:{KEY}@db/index", "postgresql://***@db/***"),
        (f"postgresql:///index?password={KEY}", "postgresql:///index?***"),
        ("sqlite:////var/lib/index.db", "sqlite:////var/lib/index.db"),
        ("nonsense", "nonsense"),
    ],
)
def test_redact__url__says_scheme_and_host(url: str, said: str) -> None:
    assert redact(url).rstrip("/") == said.rstrip("/")
    assert str(Endpoint(url)) == repr(Endpoint(url)) == f"{Endpoint(url)}" == redact(url)


@pytest.mark.parametrize(
    "url",
    [
        f"https://a.example/?api-key={KEY}1",
        f"https://b.example/v2/{KEY}2/",
        f"https://user:{KEY}3@c.example",
        f"https://d.example/?api-key={KEY}%34",
    ],
)
def test_scrub__secret_of_an_endpoint__is_hidden_without_its_url_too(url: str) -> None:
    Endpoint(url)
    said = scrub(f"> GET {url.partition('example')[2]} HTTP/1.1, {url}, {KEY}1 {KEY}2 {KEY}3 {KEY}4")
    assert url.partition("example")[2] in ("",) or url.partition("example")[2] not in said
    assert url not in said and said.count(KEY) < 4


def test_scrub__url_nobody_named__loses_its_query_and_user() -> None:
    assert scrub("see https://x.example/a?token=abc and https://me:pw@y.example/b.") == (
        "see https://x.example/*** and https://***@y.example/***"
    )
    assert scrub("documentation http://127.0.0.1:8000/docs") == "documentation http://127.0.0.1:8000/docs"


def test_log__record_with_a_trace__is_scrubbed() -> None:
    endpoint = Endpoint(f"https://e.example/?api-key={KEY}5")
    try:
        raise ConnectionError(f"GET {endpoint.url}")
    except ConnectionError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, "", 0, "%s", (endpoint.url,), (type(error), error, error.__traceback__)
        )
    said = Scrubbing().format(record)
    assert "Traceback" in said and KEY not in said


@pytest.mark.parametrize("status", [403, 429, 500])
async def test_error__endpoint_with_a_key__is_named_without_it(status: int) -> None:
    async with Proxy("http://127.0.0.1:9") as proxy:
        proxy.statuses["getMultipleAccounts"] = status
        async with Market.connect(f"{proxy.url}/v2/{KEY}?api-key={KEY}") as market:
            with pytest.raises(errors.NODE_FAILURES) as raised:
                await market.reads.market()
    assert isinstance(raised.value, errors.GpuMarketError)
    assert proxy.url in raised.value.message and KEY not in raised.value.message
