"""Figures that others notice while somebody uses up a shared pool.

Webhooks that never answer beside one that does, 20,000 endpoints, 400 reads of a network at a time, a query in 2,000
spellings, and the public list of 100,000 machines: each in this process, with the API's own parts over SQLite.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import httpx
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, select

from anchor_client import orders
from anchor_client.service.shares import Nest
from anchor_client.solana.wallet import Wallet
from benchmarks.figures import Figure, Progress, Report, at_least, at_most, below
from benchmarks.load.fresh import fresh_index
from benchmarks.percentiles import percentile
from indexer import garbage
from indexer.accounts import deliveries, sign_ins, webhooks
from indexer.accounts.database import migrate_accounts
from indexer.accounts.models import Webhook, WebhookDelivery
from indexer.accounts.webhooks import new_signing_secret
from indexer.api.feed.relations import Relations
from indexer.api.kept.answers import KeptAnswers
from indexer.api.main import create_app
from indexer.api.sealed_orders import MAX_UNCLAIMED, UNCLAIMED_SECONDS, find, keep
from indexer.api.webhooks.kinds import TEST, Happening, Kind
from indexer.api.webhooks.notices import id_of, notice
from indexer.api.webhooks.roster import Roster
from indexer.models import Host, Listing, Record, SealedOrder
from indexer.settings import IndexerSettings
from indexer.store.database import writing

ENDPOINTS: Final = 20_000
CHANGES: Final = 100
SILENT: Final = 100
HONEST_NOTICES: Final = 30
PAUSE_SECONDS: Final = 0.5
WAIT_SECONDS: Final = 60.0
UPLOADS: Final = 400
READS: Final = 400
READ_LISTINGS: Final = 2_000
HONEST_READS: Final = 30
SPELLINGS: Final = 2_000
LISTINGS: Final = 100_000
STRANGER: Final = "203.0.113.9"
HONEST: Final = "198.51.100.1"
TICK_SECONDS: Final = 0.001
SETTINGS: Final = IndexerSettings(webhook_private=True, requests_per_client=1e6)


async def measure(progress: Progress) -> Report:
    """Attacks one thing after another."""
    figures = []
    for title, attack in (
        (f"{ENDPOINTS:,} webhooks", _many_endpoints),
        (f"{SILENT} webhooks that never answer", _silent_endpoints),
        (f"{MAX_UNCLAIMED:,} sealed orders of one address", _many_orders),
        (f"{UPLOADS} uploads of one network at once", _many_uploads),
        (f"{READS} reads of one network at a time", _many_reads),
        (f"{SPELLINGS:,} spellings of a query", _spellings),
        (f"{LISTINGS:,} listings", _many_listings),
    ):
        progress(title)
        with fresh_index() as engine:
            migrate_accounts(engine)
            figures += await attack(engine)
    return Report(figures)


async def _many_endpoints(engine: Engine) -> list[Figure]:
    wallets = [str(Pubkey.new_unique()) for _ in range(ENDPOINTS)]
    roster, found = Roster(Relations()), []
    with writing(engine) as connection:
        made = [vars(_endpoint(f"{number:032x}", f"wallet:{wallet}")) for number, wallet in enumerate(wallets)]
        connection.execute(insert(Webhook.table), made)
        roster.refresh(connection)
        for wallet in wallets[:1_000]:
            begun = time.perf_counter()
            told = roster.current.of(connection, Happening(Kind.JOB_OPENED, ("wallet", wallet)))
            found.append((time.perf_counter() - begun) * 1_000)
            assert len(told) == 1
        refreshed = []
        for number in range(CHANGES):
            webhooks.change(connection, "w", f"{number:032x}", {"types": Kind.JOB_ENDED.value})
            begun = time.thread_time()
            roster.refresh(connection)
            refreshed.append((time.thread_time() - begun) * 1_000)
    return [
        Figure("an event's endpoints found, p99", percentile(found, 99), "ms", below(5)),
        Figure(
            "endpoints read again after one has changed, processor time, p95", percentile(refreshed, 95), "ms", below(5)
        ),
    ]


async def _silent_endpoints(engine: Engine) -> list[Figure]:
    """As many wallets as endpoints, at one address; each has a notice that waits all the time."""
    arrived = asyncio.Queue[float]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        arrived.put_nowait(time.monotonic())

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with _port(answer) as honest, _port(never) as silent:
        with writing(engine) as connection:
            for number in range(SILENT):
                nest = Nest.of(STRANGER)
                made = _endpoint(f"{number:032x}", "wallet:w", url=silent, **nest._asdict())
                connection.execute(insert(Webhook.table).values(vars(made)))
                deliveries.note(connection, [notice(made.id, TEST, id_of(made.id, TEST, n), "{}", 0) for n in range(9)])
            made = _endpoint("f" * 32, "wallet:w", url=honest, is_quick=True, **Nest.of(HONEST)._asdict())
            connection.execute(insert(Webhook.table).values(vars(made)))
        waits = []
        app = create_app(SETTINGS, engine=engine)
        async with app.router.lifespan_context(app):
            for number in range(HONEST_NOTICES):
                begun = time.monotonic()
                with writing(engine) as connection:
                    deliveries.note(connection, [notice(made.id, TEST, id_of(made.id, TEST, number), "{}", 0)])
                try:
                    async with asyncio.timeout(WAIT_SECONDS):
                        waits.append(await arrived.get() - begun)
                except TimeoutError:
                    waits.append(WAIT_SECONDS)
                await asyncio.sleep(PAUSE_SECONDS)
    with engine.connect() as connection:
        own = select(WebhookDelivery.c.status).where(WebhookDelivery.c.endpoint == made.id)
        delivered = [*connection.execute(own).scalars()].count(deliveries.DELIVERED)
    return [
        Figure("honest notice beside them, p95", percentile(waits, 95), "s", at_most(2)),
        Figure("honest notices delivered", delivered, "notices", at_least(HONEST_NOTICES - 1)),
    ]


async def _many_orders(engine: Engine) -> list[Figure]:
    now = round(time.time())

    def order(renter: str) -> SealedOrder:
        named: Any = {
            "renter": renter,
            "order_hash": "ab" * 32,
            "signature": renter,
            "signed_at": 0,
            "sealed": bytes(1_000),
        }
        return SealedOrder(**named, received_at=now, kept_until=now + UNCLAIMED_SECONDS)

    with writing(engine) as connection:
        keep(connection, order("honest"), Nest.of(HONEST))
        for number in range(MAX_UNCLAIMED):
            keep(connection, order(f"stranger {number}"), Nest.of(STRANGER))
        begun = time.thread_time()
        for number in range(100):
            keep(connection, order(f"more {number}"), Nest.of(STRANGER))
        each = (time.thread_time() - begun) * 10
        is_kept = find(connection, "honest", "ab" * 32) is not None
        for number in range(sign_ins.MAX_SIGN_INS):
            sign_ins.begin(connection, "w", number)
    return [
        Figure("honest order kept", int(is_kept), "of 1", at_least(1)),
        Figure("an order kept where there is no room, processor time", each, "ms", below(20)),
    ]


async def _many_uploads(engine: Engine) -> list[Figure]:
    """Of as many free wallets, from the addresses of a /24; an honest one comes last."""
    app = create_app(SETTINGS, engine=engine)
    done: list[str] = []

    async def upload(address: str) -> None:
        order = orders.SealedOrder.signed(Wallet(Keypair()), bytes(32), bytes(1_000))
        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://api") as api:
            answer = await api.put(
                f"/api/sealed-orders/{order.renter}/{order.order_hash.hex()}",
                json={
                    "sealed": b64encode(order.sealed).decode(),
                    "signed_at": order.signed_at,
                    "signature": str(order.signature),
                },
            )
        assert answer.status_code == httpx.codes.OK, answer.text
        done.append(address)

    async with app.router.lifespan_context(app):
        strangers = [asyncio.create_task(upload(f"203.0.113.{number % 200 + 1}")) for number in range(UPLOADS)]
        await asyncio.wait(strangers, return_when=asyncio.FIRST_COMPLETED)
        earlier = len(done)
        begun = time.monotonic()
        await upload(HONEST)
        seconds = time.monotonic() - begun
        before = len(done) - earlier - 1
        await asyncio.gather(*strangers)
    return [
        Figure("honest upload beside them", seconds, "s"),
        Figure("uploads answered before it", before, "uploads", below(UPLOADS / 10)),
    ]


async def _many_reads(engine: Engine) -> list[Figure]:
    """Each of another query, from the addresses of a /24, again and again, beside an honest client's."""
    _list(engine, READ_LISTINGS)
    app = create_app(SETTINGS, engine=engine)
    asked = itertools.count()
    done: list[str] = []

    async def read(address: str) -> None:
        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://api") as api:
            path = f"/api/marketplace/listings?limit=200&min_disk_gb=0&max_price={next(asked) + READ_LISTINGS}"
            assert (await api.get(path)).status_code == httpx.codes.OK
        done.append(address)

    async def read_on(address: str) -> None:
        while True:
            await read(address)

    waits: list[float] = []
    before: list[float] = []
    async with app.router.lifespan_context(app):
        strangers = [asyncio.create_task(read_on(f"203.0.113.{number % 200 + 1}")) for number in range(READS)]
        await asyncio.sleep(PAUSE_SECONDS)
        for _ in range(HONEST_READS):
            earlier = len(done)
            begun = time.monotonic()
            await read(HONEST)
            waits.append(time.monotonic() - begun)
            before.append(len(done) - earlier - 1)
        for each in strangers:
            each.cancel()
        await asyncio.gather(*strangers, return_exceptions=True)
    return [
        Figure("honest read beside them, p95", percentile(waits, 95), "s"),
        Figure("reads answered before it, p95", percentile(before, 95), "reads", below(READS / 10)),
    ]


async def _spellings(engine: Engine) -> list[Figure]:
    kept: list[KeptAnswers] = []
    made = KeptAnswers.__init__

    def remember(self: KeptAnswers, *given: Any, **named: Any) -> None:
        made(self, *given, **named)
        kept.append(self)

    KeptAnswers.__init__ = remember  # type: ignore[method-assign]
    try:
        app = create_app(SETTINGS, engine=engine)
    finally:
        KeptAnswers.__init__ = made  # type: ignore[method-assign]
    async with _asking(app, engine) as api:
        for number in range(SPELLINGS):
            text = "".join(
                f"%{ord(each):02x}" if number >> place & 1 else each for place, each in enumerate("available")
            )
            await api.get(f"/api/marketplace/listings?{text}=true&limit={number % 200 + 1}")
    return [
        Figure("kept of a query's spellings", len(kept[0].answers), "answers", at_most(200)),
        Figure("bytes kept of them", kept[0].weight, "bytes", at_most(64 * 2**20)),
    ]


async def _many_listings(engine: Engine) -> list[Figure]:
    _list(engine, LISTINGS)
    garbage.none_so_far()
    async with _asking(create_app(SETTINGS, engine=engine), engine) as api:
        with _stalls() as stalls:
            begun = time.monotonic()
            answers = await asyncio.gather(*(api.get("/api/public/v1/nodes?limit=100") for _ in range(20)))
            seconds = time.monotonic() - begun
    assert all(answer.status_code == httpx.codes.OK for answer in answers)
    return [
        Figure(
            "longest wait of the event loop for the public list, processor time", max(stalls) * 1_000, "ms", below(50)
        ),
        Figure("20 clients answered with it", seconds, "s"),
    ]


def _list(engine: Engine, count: int) -> None:
    """Has so many machines of one host offered."""
    with writing(engine) as connection:
        host = str(Pubkey.new_unique())
        connection.execute(insert(Host.table).values(_row(Host, address=host, authority=host, approved=True)))
        now = round(time.time())
        heard = {"host": host, "visible": True, "last_heartbeat_at": now + 600, "silence": "heard"}
        rows = [
            _row(Listing, address=str(Pubkey.new_unique()), number=number, on_demand_usd=number + 1, **heard)
            for number in range(count)
        ]
        connection.execute(insert(Listing.table), rows)


def _endpoint(id: str, topic: str, url: str = "https://a.example", **values: Any) -> Webhook:
    named: Any = {
        "wallet": "w",
        "url": url,
        "low_funds": "",
        "secret": new_signing_secret(),
        "created_at": 0,
        "since": 0,
    }
    return Webhook(id=id, types=" ".join(Kind), topics=f"{topic} governance", index_id="", number=0, **named, **values)


def _row(model: type[Record], **values: Any) -> dict[str, Any]:
    """A row with these values, and zero or nothing elsewhere."""
    texts = (str, bytes)
    filled = {each.name: "" if each.type.python_type in texts else 0 for each in model.c if not each.nullable}
    return filled | values


@asynccontextmanager
async def _port(serve: Any) -> AsyncIterator[str]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@asynccontextmanager
async def _asking(app: Any, engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://api") as api:
        yield api


@contextmanager
def _stalls() -> Iterator[list[float]]:
    """Processor time that the event loop waited at a time, until the context is left.

    Of this process, whoever of it used it: how long other processes keep the machine is no matter of the list's.
    """
    found = [0.0]

    async def look() -> None:
        while True:
            begun = time.process_time()
            await asyncio.sleep(TICK_SECONDS)
            found.append(time.process_time() - begun)

    looking = asyncio.create_task(look())
    try:
        yield found
    finally:
        looking.cancel()
