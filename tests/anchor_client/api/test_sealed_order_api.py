"""Sealed orders by way of a served API."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from solders.keypair import Keypair
from sqlalchemy import Engine, update

from anchor_client.errors import ApiRefused, GpuMarketError, OrderNotSigned, UnreachableApi, WrongApi
from anchor_client.orders import MAX_SEALED_BYTES, SealedOrder, SealedOrderApi
from anchor_client.solana.wallet import Wallet
from indexer import models
from tests.indexer.databases import sqlite
from tests.indexer.service import api_alone
from tests.processes.ports import free_ports

HASH = bytes(range(32))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with sqlite(tmp_path / "index.db") as opened:
        yield opened


@pytest.fixture
async def post(engine: Engine) -> AsyncIterator[SealedOrderApi]:
    async with api_alone(engine) as url, SealedOrderApi(url) as opened:
        yield opened


@pytest.fixture
def wallet() -> Wallet:
    return Wallet(Keypair())


async def test_deliver__an_order__is_found_by_its_renter_and_hash_alone(post: SealedOrderApi, wallet: Wallet) -> None:
    assert await post.find(wallet.pubkey, HASH) is None
    await post.deliver(SealedOrder.signed(wallet, HASH, b"sealed"))
    assert await post.find(wallet.pubkey, HASH) == b"sealed"
    assert await post.find(wallet.pubkey, bytes(32)) is None
    assert await post.find(Keypair().pubkey(), HASH) is None


async def test_deliver__largest_order__comes_back_whole(post: SealedOrderApi, wallet: Wallet) -> None:
    sealed = bytes(range(256)) * (MAX_SEALED_BYTES // 256) + bytes(MAX_SEALED_BYTES % 256)
    await post.deliver(SealedOrder.signed(wallet, HASH, sealed))
    assert await post.find(wallet.pubkey, HASH) == sealed


async def test_deliver__too_large__is_refused_in_the_words_of_the_api(post: SealedOrderApi, wallet: Wallet) -> None:
    with pytest.raises(ApiRefused, match=f"the maximum is {MAX_SEALED_BYTES}") as refused:
        await post.deliver(SealedOrder.signed(wallet, HASH, bytes(MAX_SEALED_BYTES + 1)))
    assert (refused.value.name, refused.value.remedy) == (
        "order_too_large",
        "Seal a valid order document: all of them fit.",
    )
    assert await post.find(wallet.pubkey, HASH) is None


async def test_deliver__sealed_anew__replaces_it_for_good(post: SealedOrderApi, wallet: Wallet) -> None:
    first = SealedOrder.signed(wallet, HASH, b"first")
    second = SealedOrder.signed(wallet, HASH, b"second", first.signed_at + 1)
    await post.deliver(first)
    await post.deliver(second)
    await post.deliver(second)
    with pytest.raises(ApiRefused) as refused:
        await post.deliver(first)
    assert refused.value.name == "order_superseded"
    assert await post.find(wallet.pubkey, HASH) == b"second"


async def test_deliver__another_wallets_signature__is_refused(post: SealedOrderApi, wallet: Wallet) -> None:
    await post.deliver(SealedOrder.signed(wallet, HASH, b"sealed"))
    squatter = SealedOrder.signed(Wallet(Keypair()), HASH, b"rubbish")
    await post.deliver(squatter)
    forged = SealedOrder(wallet.pubkey, HASH, squatter.sealed, squatter.signed_at, squatter.signature)
    with pytest.raises(ApiRefused) as refused:
        await post.deliver(forged)
    assert refused.value.name == "order_not_signed"
    assert await post.find(wallet.pubkey, HASH) == b"sealed"


async def test_find__order_changed_by_who_keeps_it__is_not_taken(
    post: SealedOrderApi, wallet: Wallet, engine: Engine
) -> None:
    await post.deliver(SealedOrder.signed(wallet, HASH, b"sealed"))
    with engine.begin() as connection:
        connection.execute(update(models.SealedOrder.table).values(sealed=b"rubbish"))
    with pytest.raises(OrderNotSigned):
        await post.find(wallet.pubkey, HASH)


async def test_post__nobody_listens__api_is_unreachable(wallet: Wallet) -> None:
    url = f"http://127.0.0.1:{free_ports()}"
    async with SealedOrderApi(url) as post:
        with pytest.raises(UnreachableApi, match=url) as raised:
            await post.deliver(SealedOrder.signed(wallet, HASH, b"sealed"))
        assert "api_url" in raised.value.remedy
        with pytest.raises(UnreachableApi):
            await post.find(wallet.pubkey, HASH)


async def test_post__api_comes_up_later__is_reached_then(engine: Engine, wallet: Wallet) -> None:
    port = free_ports()
    async with SealedOrderApi(f"http://127.0.0.1:{port}") as post:
        with pytest.raises(UnreachableApi):
            await post.find(wallet.pubkey, HASH)
        for sealed in (b"sealed", b"sealed anew"):
            async with api_alone(engine, port):
                await post.deliver(SealedOrder.signed(wallet, HASH, sealed))
                assert await post.find(wallet.pubkey, HASH) == sealed


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"200 OK\r\nContent-Length: 5\r\n\r\nhello", WrongApi),
        (b"200 OK\r\nContent-Length: 48\r\n\r\n" + b'{"sealed": "!", "signed_at": 1, "signature": "?"}'[:48], WrongApi),
        (b"404 Not Found\r\nContent-Length: 0\r\n\r\n", WrongApi),
        (b"502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", UnreachableApi),
        (b"garbage", UnreachableApi),
    ],
)
async def test_find__something_else_answers__is_named(
    wallet: Wallet, answer: bytes, error: type[GpuMarketError]
) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 " + answer)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with SealedOrderApi(f"http://127.0.0.1:{port}") as post:
            with pytest.raises(error, match=str(port)) as raised:
                await post.find(wallet.pubkey, HASH)
    assert raised.value.remedy


async def test_find__api_without_orders__is_not_taken_for_an_order_that_is_not_there(
    engine: Engine, wallet: Wallet
) -> None:
    async with api_alone(engine) as url, SealedOrderApi(f"{url}/elsewhere") as post:
        with pytest.raises(ApiRefused) as refused:
            await post.find(wallet.pubkey, HASH)
    assert refused.value.name == "not_found"


@pytest.mark.parametrize("url", ["ftp://example.net", "example.net", "http://example.net:port", ""])
async def test_post__no_url__is_named(wallet: Wallet, url: str) -> None:
    async with SealedOrderApi(url) as post:
        with pytest.raises(WrongApi):
            await post.find(wallet.pubkey, HASH)
