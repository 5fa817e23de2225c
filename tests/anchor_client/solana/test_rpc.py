"""A node that is away, busy, or none at all: one clear line and a remedy each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.generated.accounts import Market as MarketAccount
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market import Market
from anchor_client.solana.node import NodeClient
from anchor_client.solana.rpc import MAX_ACCOUNTS_PER_REQUEST, Reader
from tests.anchor_client.solana.proxy import Proxy
from tests.markets.marketplace import Marketplace


@pytest.fixture
async def proxy(marketplace: Marketplace) -> AsyncIterator[Proxy]:
    async with Proxy(marketplace.cluster.rpc_url) as proxy:
        yield proxy


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (429, errors.RateLimited),
        (500, errors.UnreachableRpc),
        (503, errors.UnreachableRpc),
        (404, errors.WrongEndpoint),
        (403, errors.WrongEndpoint),
    ],
)
async def test_read__http_status__is_named(proxy: Proxy, status: int, expected: type[errors.GpuMarketError]) -> None:
    proxy.statuses["getMultipleAccounts"] = status
    async with Market.connect(proxy.url) as market:
        with pytest.raises(expected) as raised:
            await market.reads.market()
    assert proxy.url in raised.value.message and raised.value.remedy


async def test_read__node_that_is_away__is_unreachable() -> None:
    async with Market.connect("http://127.0.0.1:9") as market:
        with pytest.raises(errors.UnreachableRpc, match=r"http://127\.0\.0\.1:9 cannot be reached"):
            await market.reads.market()


@pytest.mark.parametrize("url", ["nonsense", "ftp://x.example", "localhost:8899"])
async def test_read__what_is_no_url__is_a_wrong_endpoint(url: str) -> None:
    async with Market.connect(url) as market:
        with pytest.raises(errors.WrongEndpoint):
            await market.reads.market()


@pytest.mark.parametrize("url", ["http://node:port", "http://node:99999", "http://[::1"])
def test_connect__port_or_address_that_is_none__is_a_wrong_endpoint(url: str) -> None:
    with pytest.raises(errors.WrongEndpoint):
        Market.connect(url)


async def test_read__answer_that_is_no_json_rpc__is_a_wrong_endpoint(proxy: Proxy) -> None:
    proxy.answers["getMultipleAccounts"] = {"result": "<html>"}
    async with Market.connect(proxy.url) as market:
        with pytest.raises(errors.WrongEndpoint):
            await market.reads.market()


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (
            {"code": -32005, "message": "Node is behind by 42 slots", "data": {"numSlotsBehind": 42}},
            errors.RpcRefused,
            "refused: Node is behind by 42 slots",
        ),
        ({"code": -32603, "message": "internal"}, errors.RpcRefused, "refused: internal"),
        ({"code": -32000, "message": "odd"}, errors.RpcRefused, "refused: odd"),
        ({"code": 429, "message": "slow down"}, errors.RateLimited, "refuses more requests"),
        ({"code": -32005, "message": "without data"}, errors.RpcRefused, "refused: without data"),
    ],
    ids=str,
)
async def test_read__node_refuses__keeps_its_words(
    proxy: Proxy, error: dict[str, Any], expected: type[errors.GpuMarketError], words: str
) -> None:
    proxy.answers["getMultipleAccounts"] = {"error": error}
    async with Market.connect(proxy.url) as market:
        with pytest.raises(expected, match=words):
            await market.reads.market()


async def test_market__program_without_one__is_unknown(marketplace: Marketplace) -> None:
    async with Market.connect(marketplace.cluster.rpc_url, program_id=Pubkey.new_unique()) as market:
        with pytest.raises(errors.UnknownMarket):
            await market.reads.market()


async def test_accounts__more_than_a_request_takes__come_in_their_order(marketplace: Marketplace) -> None:
    addresses = [Pubkey.new_unique() for _ in range(MAX_ACCOUNTS_PER_REQUEST + 1)]
    addresses[100] = marketplace.gpum.pubkey()
    async with NodeClient(marketplace.cluster.rpc_url) as client:
        found = await Reader(client, PROGRAM_ID).accounts(addresses)
    assert [index for index, account in enumerate(found) if account is not None] == [100]


async def test_read__account_of_another_program__is_none(marketplace: Marketplace) -> None:
    async with NodeClient(marketplace.cluster.rpc_url) as client:
        assert await Reader(client, PROGRAM_ID).read(MarketAccount, marketplace.gpum.pubkey()) is None
