"""1,000 clients of the feed's WebSocket at once, over an index in SQLite and in PostgreSQL.

The indexer follows the embedded cluster and answers in one process, as by default; the cluster and the clients are
two more. Latency counts from when a transaction is sent, whose event every client has asked for, to each client. Then a
client that asks for states again and again and reads none is dropped, while the others go on to be told.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market import Market
from anchor_client.solana.transactions.sender import Prepared
from benchmarks.figures import Figure, Parts, Progress, Report, Row, at_least, at_most
from benchmarks.load.followers import Followers, following
from benchmarks.load.postgres import postgres
from benchmarks.load.process import GPU_MARKET, Server, alone, serving
from benchmarks.percentiles import percentile
from indexer.api.feed.closing import TRY_AGAIN
from indexer.api.routes.feed import TOO_SLOW
from local_market.program import PROGRAM_PATH
from local_market.stack.ports import require_free
from tests.markets.cluster import Cluster
from tests.markets.marketplace import Marketplace

CLIENTS: Final = 1_000
TRANSACTIONS: Final = 60
PAUSE_SECONDS: Final = 0.4
P95_TARGET: Final = 1_000
LAST_SECONDS: Final = 5.0
ASKING_SECONDS: Final = 10.0
SMALL_BUFFER: Final = 64 * 1024
SLOW_SECONDS: Final = 60.0
UNLIMITED: Final = {
    "GPU_MARKET_REQUESTS_PER_CLIENT": "1000000",
    "GPU_MARKET_FEED_CLIENTS_PER_CLIENT": "2000",
    "GPU_MARKET_MAX_CONNECTIONS_PER_CLIENT": "2000",
}
"""All clients come from one address."""


@dataclass(frozen=True, slots=True)
class FeedMeasurements:
    """Results over one database."""

    database: str
    followers: Followers
    milliseconds: Sequence[float]
    processor_seconds: float
    seconds: float
    megabytes: float
    is_slow_dropped: bool
    while_slow: float
    """Milliseconds in which the slowest transaction beside a slow reader reached a client that reads."""


async def measure(progress: Progress) -> Report:
    """Seeds a cluster once for each database, and follows what happens on it."""
    parts = Parts(progress)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        await parts.take("SQLite", _part("SQLite", f"sqlite:///{directory}/index.db", home, progress))
        with postgres() as url:
            await parts.take("PostgreSQL", _part("PostgreSQL", url, home, progress))
    return parts.report()


async def _part(database: str, url: str, home: Path, progress: Progress) -> tuple[list[Figure], list[Row]]:
    found = await _over(database, url, home, progress)
    return list(_figures(found)), [_details(found)]


async def _over(database: str, url: str, home: Path, progress: Progress) -> FeedMeasurements:
    place = Marketplace(Cluster("", ""))
    program = ("--program", str(PROGRAM_ID), str(PROGRAM_PATH), "--upgrade-authority", str(place.authority.pubkey()))
    async with serving("-m", "localnet", "--json", "--port", "0", *program) as cluster:
        place.cluster = Cluster(cluster.ready["rpc"], cluster.ready["ws"])
        await place.seed()
        command = (*GPU_MARKET, "indexer", "--json", "--rpc", cluster.ready["rpc"], "--database", url)
        port = str(require_free(0, "API"))
        async with serving(*command, "--port", port, environment=alone(home) | UNLIMITED) as server:
            feed = f"ws{server.ready['api_url'].removeprefix('http')}/api/feed"
            progress(f"{database}: connecting {CLIENTS:,} clients")
            async with following(f"{feed}?topic=job", CLIENTS) as followers:
                progress(f"{database}: {TRANSACTIONS} transactions")
                used = server.processor_seconds
                begun = time.monotonic()
                sent = await _act(place, TRANSACTIONS)
                used = server.processor_seconds - used
                seconds = time.monotonic() - begun
                held = server.resident_bytes / 2**20
                progress(f"{database}: a client that does not read")
                is_dropped, while_slow = await _beside_a_slow_one(place, server, feed)
                await followers.end()
    latencies = [(at - sent[tx]) * 1_000 for tx in sent for at in followers.heard.get(tx, ())]
    return FeedMeasurements(database, followers, latencies, used, seconds, held, is_dropped, while_slow)


async def _act(place: Marketplace, many: int) -> dict[str, float]:
    """When each transaction was sent, by its signature."""
    sent: dict[str, float] = {}

    async def at(prepared: Prepared) -> None:
        sent[str(prepared.signature)] = time.time()

    payer = await place.renter()
    async with Market.connect(place.cluster.rpc_url, payer, ws_url=place.cluster.ws_url, on_signed=at) as market:
        for number in range(many):
            await (market.rental.unregister() if number % 2 else market.rental.register())
            await asyncio.sleep(PAUSE_SECONDS)
    await asyncio.sleep(LAST_SECONDS)
    return sent


async def _beside_a_slow_one(place: Marketplace, server: Server, feed: str) -> tuple[bool, float]:
    """Measures a client that asks for states and reads none: True if dropped; the longest wait of others, in ms."""
    topics = [f"listing:{listing}" for listing in place.listings]
    heard: dict[str, float] = {}
    narrow = socket.create_connection((urlsplit(feed).hostname, urlsplit(feed).port))
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
    narrow.setblocking(False)
    slowly = connect(feed, sock=narrow, max_queue=1, compression=None, ping_interval=None)
    async with connect(f"{feed}?topic=job", compression=None) as reader, slowly as slow:
        listening = asyncio.create_task(_hear(reader, heard))
        asking = asyncio.create_task(_ask(slow, topics))
        sent = await _act(place, 5)
        async with asyncio.timeout(SLOW_SECONDS):
            await asking
        listening.cancel()
    waited = [(heard[tx] - at) * 1_000 if tx in heard else float("inf") for tx, at in sent.items()]
    return (slow.close_code, slow.close_reason) == (TRY_AGAIN, TOO_SLOW), max(waited)


async def _hear(connection: ClientConnection, heard: dict[str, float]) -> None:
    async for text in connection:
        told = msgspec.json.decode(text)
        if "tx" in told:
            heard[told["tx"]] = time.time()


async def _ask(connection: ClientConnection, topics: Sequence[str]) -> None:
    """Asks for a while, and only then reads what had been sent, until it is hung up on."""
    end = time.monotonic() + ASKING_SECONDS
    with contextlib.suppress(ConnectionClosed):
        while time.monotonic() < end:
            await connection.send(msgspec.json.encode({"subscribe": topics}).decode())
            await connection.send(msgspec.json.encode({"unsubscribe": topics}).decode())
            await asyncio.sleep(0.01)
        while True:
            await connection.recv()


def _figures(found: FeedMeasurements) -> list[Figure]:
    over = f" over {found.database}"
    told = found.followers
    expected = TRANSACTIONS * CLIENTS
    return [
        Figure(f"clients held{over}", told.held, "clients", at_least(CLIENTS)),
        Figure(f"events missed{over}", expected - len(found.milliseconds), "events", at_most(0)),
        Figure(f"p50{over}", percentile(found.milliseconds, 50), "ms"),
        Figure(f"p95{over}", percentile(found.milliseconds, 95), "ms", at_most(P95_TARGET)),
        Figure(f"p99{over}", percentile(found.milliseconds, 99), "ms"),
        Figure(f"processor time{over}", found.processor_seconds, "s"),
        Figure(f"memory{over}", found.megabytes, "MiB"),
        Figure(f"slow readers dropped{over}", int(found.is_slow_dropped), "of 1", at_least(1)),
        Figure(f"slowest event beside a slow reader{over}", found.while_slow, "ms", at_most(P95_TARGET)),
    ]


def _details(found: FeedMeasurements) -> Row:
    return {
        "database": found.database,
        "clients": found.followers.greeted,
        "messages": len(found.milliseconds),
        "processor_s": found.processor_seconds,
        "seconds": found.seconds,
        "slowest_ms": max(found.milliseconds),
    }
