"""Sealed orders at the API: whose they are, how long they stay and how many."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine, update
from starlette.types import Message, Receive, Scope, Send

from anchor_client import orders
from anchor_client.errors import UnknownJob
from anchor_client.market.reads import MarketReader
from anchor_client.orders import MAX_SEALED_BYTES
from anchor_client.orders.delivery import UnsignedOrder
from anchor_client.service.shares import Nest
from anchor_client.signed_text import envelope
from anchor_client.solana.wallet import Wallet
from indexer.api import sealed_orders
from indexer.api.errors import Problem
from indexer.api.http.bodies import MAX_BODY_BYTES, BodyLimit
from indexer.api.main import create_app
from indexer.api.sealed_orders import MAX_UNCLAIMED_OF_RENTER, UNCLAIMED_SECONDS
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import SealedOrder, UnclaimedOrder
from indexer.settings import IndexerSettings
from indexer.store.database import writing
from tests.indexer.databases import on_both_databases
from tests.indexer.origins import ORIGIN, Origins
from tests.indexer.tables import only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.flows import opened
from tests.program.harness.keys import keypair_of
from tests.program.harness.world import ORDER_HASH

HASH = ORDER_HASH
"""The order of every rental and request of the tests' market."""
MINUTE = 60_000


@pytest.fixture
def api(engine: Engine) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


@pytest.fixture
def wallet() -> Wallet:
    return Wallet(Keypair())


def path_of(renter: Pubkey, order_hash: bytes) -> str:
    return f"/api/sealed-orders/{renter}/{order_hash.hex()}"


def posted(order: orders.SealedOrder) -> dict[str, Any]:
    sealed = b64encode(order.sealed).decode()
    return {"sealed": sealed, "signed_at": order.signed_at, "signature": str(order.signature)}


def put(api: TestClient, order: orders.SealedOrder, **change: Any) -> httpx2.Response:
    return api.put(path_of(order.renter, order.order_hash), json=posted(order) | change)


def deliver(api: TestClient, wallet: Wallet, order_hash: bytes = HASH, sealed: bytes = b"sealed") -> orders.SealedOrder:
    order = orders.SealedOrder.signed(wallet, order_hash, sealed)
    answer = put(api, order)
    assert answer.status_code == 200, answer.text
    return order


def age(engine: Engine, seconds: int) -> None:
    """As if every order had come so much earlier."""
    with engine.begin() as connection:
        earlier = {
            "received_at": SealedOrder.c.received_at - seconds,
            "kept_until": SealedOrder.c.kept_until - seconds,
        }
        connection.execute(update(SealedOrder.table).values(earlier))
        connection.execute(update(UnclaimedOrder.table).values(received_at=UnclaimedOrder.c.received_at - seconds))


def kept(engine: Engine) -> set[tuple[str, str]]:
    return {(row.renter, row.order_hash) for row in rows_of(engine, SealedOrder)}


def key(wallet: Wallet, order_hash: bytes = HASH) -> tuple[str, str]:
    return str(wallet.pubkey), order_hash.hex()


def spare(number: int) -> bytes:
    return number.to_bytes(32)


def refused(answer: httpx2.Response, status: int, error: str) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["error"]) == (status, error)
    assert set(body) == set(Problem.model_fields) and body["detail"] and body["remedy"]
    return body


def test_put__signed_by_its_renter__is_given_back_as_it_came(api: TestClient, wallet: Wallet) -> None:
    before = int(time.time())
    order = orders.SealedOrder.signed(wallet, HASH, bytes(range(256)))
    receipt = put(api, order).json()
    assert before <= receipt["received_at"] <= time.time()
    assert receipt.pop("has_rental") is False
    assert api.get(path_of(wallet.pubkey, HASH)).json() == posted(order) | receipt


@pytest.mark.parametrize("other", [(True, spare(1)), (False, HASH)], ids=["hash", "renter"])
def test_get__nothing_handed_over__is_not_found(api: TestClient, wallet: Wallet, other: tuple[bool, bytes]) -> None:
    deliver(api, wallet)
    renter = wallet.pubkey if other[0] else Keypair().pubkey()
    refused(api.get(path_of(renter, other[1])), 404, "order_not_found")


def test_put__squatter__keeps_his_own_and_touches_nobody_elses(api: TestClient, wallet: Wallet, engine: Engine) -> None:
    squatter = Wallet(Keypair())
    rubbish = deliver(api, squatter, sealed=b"rubbish")
    refused(api.put(path_of(wallet.pubkey, HASH), json=posted(rubbish)), 403, "order_not_signed")
    assert kept(engine) == {key(squatter)}
    order = deliver(api, wallet)
    refused(api.put(path_of(wallet.pubkey, HASH), json=posted(rubbish)), 403, "order_not_signed")
    assert api.get(path_of(wallet.pubkey, HASH)).json()["sealed"] == posted(order)["sealed"]


def test_put__sealed_anew__replaces_and_the_older_never_comes_back(
    api: TestClient, wallet: Wallet, engine: Engine
) -> None:
    first = deliver(api, wallet, sealed=b"to the old key")
    same_moment = orders.SealedOrder.signed(wallet, HASH, b"to another key", first.signed_at)
    refused(put(api, same_moment), 409, "order_superseded")
    second = orders.SealedOrder.signed(wallet, HASH, b"to the new key", first.signed_at + 1)
    assert put(api, second).status_code == 200
    refused(put(api, first), 409, "order_superseded")
    assert only(engine, SealedOrder).sealed == b"to the new key"


def test_put__off_chain_message_of_the_order__is_kept_and_read_by_its_host(api: TestClient, wallet: Wallet) -> None:
    unsigned = UnsignedOrder.now(wallet.pubkey, HASH, b"sealed")
    signature = wallet.keypair.sign_message(envelope(unsigned.message, wallet.pubkey))
    order = unsigned.signed_with(signature)
    assert put(api, order).status_code == 200
    kept = api.get(path_of(wallet.pubkey, HASH)).json()
    assert kept["signature"] == str(signature)
    signed_at, sealed = kept["signed_at"], b64decode(kept["sealed"])
    orders.SealedOrder(wallet.pubkey, HASH, sealed, signed_at, signature).verify()


def test_put__off_chain_message_of_anything_else__is_refused(api: TestClient, wallet: Wallet) -> None:
    order = orders.SealedOrder.signed(wallet, HASH, b"sealed")
    text = UnsignedOrder(wallet.pubkey, HASH, b"sealed", order.signed_at).message
    other = UnsignedOrder(wallet.pubkey, HASH, b"another", order.signed_at).message
    foreign = bytearray(envelope(text, wallet.pubkey))
    foreign[17] ^= 1
    of_other = envelope(text, Keypair().pubkey())
    for wrong in (envelope(other, wallet.pubkey), bytes(foreign), of_other, envelope(text, wallet.pubkey) + b"\0"):
        refused = put(api, order, signature=str(wallet.keypair.sign_message(wrong)))
        assert (refused.status_code, refused.json()["error"]) == (403, "order_not_signed")


@on_both_databases
def test_put__the_same_again__changes_nothing(api: TestClient, wallet: Wallet, engine: Engine) -> None:
    order = deliver(api, wallet)
    age(engine, 100)
    before = only(engine, SealedOrder)
    assert put(api, order).json() == {"received_at": before.received_at, "has_rental": False}
    assert only(engine, SealedOrder) == before


@pytest.mark.parametrize(
    "change",
    [{"sealed": "&&&&"}, {"sealed": "abc"}, {"sealed": 7}, {"signature": "1"}, {"signed_at": -1}, {"signed_at": 2**53}],
    ids=str,
)
def test_put__malformed__is_refused_by_name(
    api: TestClient, wallet: Wallet, engine: Engine, change: dict[str, Any]
) -> None:
    refused(put(api, orders.SealedOrder.signed(wallet, HASH, b"sealed"), **change), 422, "invalid_request")
    assert kept(engine) == set()


@pytest.mark.parametrize("path", ["/api/sealed-orders/me/" + HASH.hex(), f"/api/sealed-orders/{Pubkey.default()}/00"])
def test_sealed_orders__malformed_path__is_refused_by_name(api: TestClient, wallet: Wallet, path: str) -> None:
    refused(api.get(path), 422, "invalid_request")
    refused(api.put(path, json=posted(orders.SealedOrder.signed(wallet, HASH, b""))), 422, "invalid_request")


def test_put__another_time_than_the_signed_one__is_not_signed(api: TestClient, wallet: Wallet) -> None:
    order = orders.SealedOrder.signed(wallet, HASH, b"sealed")
    refused(put(api, order, signed_at=order.signed_at + 1), 403, "order_not_signed")


@pytest.mark.parametrize(("minutes", "status"), [(-61, 409), (-59, 200), (4, 200), (6, 409)])
def test_put__signed_long_ago_or_in_the_future__is_refused(
    api: TestClient, wallet: Wallet, minutes: int, status: int
) -> None:
    now = int(time.time() * 1_000)
    answer = put(api, orders.SealedOrder.signed(wallet, HASH, b"sealed", now + minutes * MINUTE))
    assert answer.status_code == status
    if status == 422:
        assert "clock" in refused(answer, 409, "order_untimely")["remedy"]


def test_put__size__is_bounded_at_what_a_document_can_have(api: TestClient, wallet: Wallet, engine: Engine) -> None:
    refused(put(api, orders.SealedOrder.signed(wallet, HASH, bytes(MAX_SEALED_BYTES + 1))), 413, "order_too_large")
    assert kept(engine) == set()
    deliver(api, wallet, sealed=bytes(MAX_SEALED_BYTES))
    assert len(only(engine, SealedOrder).sealed) == MAX_SEALED_BYTES


def test_put__body_above_its_limit__is_refused(api: TestClient, wallet: Wallet) -> None:
    path = path_of(wallet.pubkey, HASH)
    refused(api.put(path, content=b" " * MAX_BODY_BYTES), 422, "invalid_request")
    refused(api.put(path, content=b" " * (MAX_BODY_BYTES + 1)), 413, "body_too_large")


@pytest.mark.parametrize(("announced", "most"), [(b"9999999", 0), (None, MAX_BODY_BYTES // 1_000 + 1)])
async def test_body_limit__endless_body__is_not_read_further(announced: bytes | None, most: int) -> None:
    read, sent = 0, []

    async def receive() -> Message:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": bytes(1_000), "more_body": True}

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        pytest.fail("it was passed on")

    headers = [] if announced is None else [(b"content-length", announced)]
    await BodyLimit(app)({"type": "http", "method": "PUT", "path": "/", "headers": headers}, receive, send)
    assert sent[0]["status"] == 413 and read == most


async def test_body_limit__body_in_parts__is_passed_on_as_it_came() -> None:
    parts: list[Message] = [
        {"type": "http.request", "body": b"one", "more_body": True},
        {"type": "http.request", "body": b"two", "more_body": False},
        {"type": "http.disconnect"},
    ]
    waiting, passed = parts.copy(), []

    async def receive() -> Message:
        return waiting.pop(0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.extend([await receive() for _ in parts])

    async def send(message: Message) -> None:
        pytest.fail("it was answered")

    await BodyLimit(app)({"type": "http", "method": "PUT", "path": "/", "headers": []}, receive, send)
    assert passed == parts


def test_put__an_hour_without_a_rental__the_next_order_takes_its_place(
    api: TestClient, wallet: Wallet, engine: Engine
) -> None:
    deliver(api, wallet, spare(1))
    age(engine, 60)
    deliver(api, wallet, spare(2))
    age(engine, UNCLAIMED_SECONDS - 30)
    deliver(api, wallet, spare(3))
    assert kept(engine) == {key(wallet, spare(2)), key(wallet, spare(3))}


def test_put__rental_of_the_renter_lives__its_order_stays_until_the_end(
    api: TestClient, market: Market, engine: Engine
) -> None:
    renter, stranger, other = market.renter(), Wallet(Keypair()), Wallet(Keypair())
    owner = Wallet(keypair_of(renter))
    rental = opened(market, renter, listing=market.listings[0])
    ingest(market.transactions(), engine)
    for wallet in (owner, stranger):
        deliver(api, wallet)
    deliver(api, owner, spare(1))
    age(engine, 50 * UNCLAIMED_SECONDS)
    deliver(api, other, spare(2))
    assert kept(engine) == {key(owner), key(other, spare(2))}
    age(engine, UNCLAIMED_SECONDS)
    deliver(api, other, spare(3))
    assert kept(engine) == {key(owner), key(other, spare(3))}
    market.act(market.stop_rental(rental))
    ingest(market.transactions(), engine)
    age(engine, UNCLAIMED_SECONDS)
    deliver(api, other, spare(4))
    assert kept(engine) == {key(other, spare(4))}


def test_put__request_of_the_renter_waits__its_order_stays_until_the_end(
    api: TestClient, market: Market, engine: Engine
) -> None:
    renter, other = market.renter(), Wallet(Keypair())
    owner = Wallet(keypair_of(renter))
    request = market.ask(renter)
    ingest(market.transactions(), engine)
    deliver(api, owner)
    age(engine, 2 * UNCLAIMED_SECONDS)
    deliver(api, other, spare(1))
    assert key(owner) in kept(engine)
    market.act(market.cancel_request(request))
    ingest(market.transactions(), engine)
    age(engine, UNCLAIMED_SECONDS)
    deliver(api, other, spare(2))
    assert key(owner) not in kept(engine)


def test_put__many_of_one_renter__wait_until_the_first_are_gone(
    api: TestClient, market: Market, engine: Engine
) -> None:
    renter = market.renter()
    owner = Wallet(keypair_of(renter))
    opened(market, renter, listing=market.listings[0])
    ingest(market.transactions(), engine)
    deliver(api, owner)
    for number in range(MAX_UNCLAIMED_OF_RENTER):
        deliver(api, owner, spare(number))
    answer = put(api, orders.SealedOrder.signed(owner, spare(100), b"sealed"))
    refused(answer, 429, "too_many_orders")
    assert UNCLAIMED_SECONDS - 60 < int(answer.headers["Retry-After"]) <= UNCLAIMED_SECONDS
    deliver(api, owner, spare(0), b"sealed anew")
    deliver(api, Wallet(Keypair()), spare(100))
    age(engine, int(answer.headers["Retry-After"]) + 5)
    deliver(api, owner, spare(100))


def test_put__many_of_all_renters__oldest_without_a_rental_makes_room(
    api: TestClient, market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed_orders, "MAX_UNCLAIMED", 2)
    renter = market.renter()
    opened(market, renter, listing=market.listings[0])
    ingest(market.transactions(), engine)
    claimed, first, second, third = (Wallet(key) for key in (keypair_of(renter), Keypair(), Keypair(), Keypair()))
    for wallet in (claimed, first, second):
        deliver(api, wallet)
        age(engine, 1)
    assert kept(engine) == {key(wallet) for wallet in (claimed, first, second)}
    deliver(api, third)
    assert kept(engine) == {key(wallet) for wallet in (claimed, second, third)}


def test_rebuild__orders_on_their_way__are_left_alone(
    api: TestClient, market: Market, engine: Engine, wallet: Wallet
) -> None:
    ingest(market.transactions(), engine)
    deliver(api, wallet)
    before = only(engine, SealedOrder)
    assert rebuild(engine) > 0
    assert only(engine, SealedOrder) == before


@pytest.mark.parametrize(
    "strangers",
    [["203.0.113.9"], [f"203.0.113.{host}" for host in range(1, 9)], [f"2001:db8:{net:x}::1" for net in range(1, 9)]],
    ids=["one address", "a /24", "an IPv6 /32"],
)
def test_put__more_than_may_wait__make_room_among_themselves(
    engine: Engine, wallet: Wallet, monkeypatch: pytest.MonkeyPatch, strangers: list[str]
) -> None:
    """Invariant IDX-11."""
    monkeypatch.setattr(sealed_orders, "MAX_UNCLAIMED", 16)
    with TestClient(Origins(create_app(IndexerSettings(), engine=engine))) as api:

        def hand_over(owner: Wallet, origin: str) -> None:
            order = orders.SealedOrder.signed(owner, HASH, b"sealed")
            answer = api.put(path_of(owner.pubkey, HASH), json=posted(order), headers={ORIGIN: origin})
            assert answer.status_code == 200, answer.text

        hand_over(wallet, "198.51.100.1")
        for number in range(40):
            hand_over(Wallet(Keypair()), strangers[number % len(strangers)])
            assert key(wallet) in kept(engine)
        neighbour = Wallet(Keypair())
        hand_over(neighbour, "192.0.2.1")
        assert {key(wallet), key(neighbour)} < kept(engine) and len(kept(engine)) == 16


def many(count: int, networks: str) -> list[str]:
    """Addresses of strangers, as many as orders."""
    each = {
        "one address": lambda number: "203.0.113.9",
        "a /24": lambda number: f"203.0.113.{number % 254 + 1}",
        "a /48": lambda number: f"2001:db8:1:{number:x}::1",
        "everywhere": lambda number: f"{number // 256 + 20}.{number % 256}.1.1",
    }[networks]
    return [each(number) for number in range(count)]


@pytest.mark.parametrize(
    ("networks", "is_confirmed"),
    [("one address", False), ("a /24", False), ("a /48", False), ("everywhere", True)],
)
def test_keep__more_than_may_wait_from_free_wallets__honest_order_stays(
    sqlite_engine: Engine, networks: str, is_confirmed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index has not seen its rental yet. Invariant IDX-11."""
    now, most = 1_000_000, 512
    monkeypatch.setattr(sealed_orders, "MAX_UNCLAIMED", most)

    def order(renter: str) -> SealedOrder:
        named = {"renter": renter, "order_hash": HASH.hex(), "signature": renter, "signed_at": 0, "sealed": b""}
        return SealedOrder(**named, received_at=now, kept_until=now + UNCLAIMED_SECONDS)

    with writing(sqlite_engine) as connection:
        nest = Nest.of("198.51.100.1")
        sealed_orders.keep(connection, order("honest"), nest)
        if is_confirmed:
            sealed_orders.keep(connection, order("honest"), nest, has_rental=True)
        for number, origin in enumerate(many(most + 100, networks)):
            sealed_orders.keep(connection, order(f"stranger {number}"), Nest.of(origin))
        neighbour = order("neighbour")
        assert sealed_orders.keep(connection, neighbour, Nest.of("192.0.2.1")) == neighbour
        kept = {each for each in ("honest", "neighbour") if sealed_orders.find(connection, each, HASH.hex())}
        assert kept == {"honest", "neighbour"}
    assert len(rows_of(sqlite_engine, UnclaimedOrder)) == most


@pytest.mark.parametrize("whose", ["own", "another renter's", "another order's", "none"])
def test_put__with_its_rental__is_known_to_have_one_if_the_node_shows_it(
    api: TestClient, wallet: Wallet, engine: Engine, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    rental = Keypair().pubkey()
    shown = {
        "own": SimpleNamespace(renter=wallet.pubkey, order_hash=HASH),
        "another renter's": SimpleNamespace(renter=Keypair().pubkey(), order_hash=HASH),
        "another order's": SimpleNamespace(renter=wallet.pubkey, order_hash=spare(1)),
    }

    async def read(self: object, address: Pubkey) -> SimpleNamespace:
        if whose == "none" or address != rental:
            raise UnknownJob("none")
        return shown[whose]

    monkeypatch.setattr(MarketReader, "rental", read)
    order = deliver(api, wallet)
    assert len(rows_of(engine, UnclaimedOrder)) == 1
    assert put(api, order, rental=str(rental)).json()["has_rental"] is (whose == "own")
    assert len(rows_of(engine, UnclaimedOrder)) == (whose != "own")
    assert kept(engine) == {key(wallet)}
