"""Wallets cost nothing: whatever a network's wallets ask and keep counts for the network. Invariant IDX-11."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from sqlalchemy import Engine

from anchor_client.machine.reach import Reach
from anchor_client.service import name_lookup
from anchor_client.service.shares import Nest, part_of
from indexer.accounts import api_keys, searches, sign_ins, webhooks
from indexer.accounts.models import SignIn
from indexer.api import reaching
from indexer.api.actions.faucet import MOST_WAITING, Faucet, Given
from indexer.api.errors import ApiError
from indexer.api.feed.admission import Admission, FeedFull
from indexer.api.http import connections
from indexer.api.limits import storage
from indexer.api.limits.policies import FACTORS, WINDOW_SECONDS
from indexer.api.limits.storage import MemoryStorage
from indexer.api.main import create_app
from indexer.api.reaching import MOST_TRIES, NoTryLeft, PortTries
from indexer.api.workers.worker import server_of
from indexer.settings import IndexerSettings
from indexer.store.database import writing
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.origins import ORIGIN, Origins
from tests.indexer.service import serving, until
from tests.indexer.tables import rows_of
from tests.processes.patience import PATIENCE

STRANGERS = {
    "one address": ["203.0.113.9"],
    "a /24": [f"203.0.113.{host}" for host in range(1, 33)],
    "a /48": [f"2001:db8:1:{net:x}::1" for net in range(1, 33)],
    "a /32": [f"2001:db8:{net:x}::1" for net in range(1, 33)],
}
MOST = {"one address": 2, "a /24": 4, "a /48": 3, "a /32": 4}
"""Eighths."""
HONEST = "198.51.100.1"
of_strangers = pytest.mark.parametrize("strangers", STRANGERS)


@pytest.fixture(autouse=True)
def _windows_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the requests of a test take, they are in one window."""
    monkeypatch.setattr(storage, "MemoryStorage", partial(MemoryStorage, now=lambda: 0.0))


@contextmanager
def served(engine: Engine, **settings: float) -> Iterator[TestClient]:
    chosen = IndexerSettings(sign_in_domain="market.example", sign_in_chain="solana:devnet", **settings)
    with TestClient(Origins(create_app(chosen, engine=engine))) as client:
        yield client


def wallet_at(api: TestClient, origin: str) -> dict[str, str]:
    """The headers of a new wallet that has signed in from an address."""
    api.headers[ORIGIN] = origin
    headers = bearer(sign_in(api, Keypair()))
    del api.headers[ORIGIN]
    return headers | {ORIGIN: origin}


@pytest.mark.parametrize("strangers", ["one address", "a /24"])
def test_requests__of_many_wallets__are_those_of_their_network(sqlite_engine: Engine, strangers: str) -> None:
    """A wallet each for two in three requests; no wallet is near its own limit."""
    with served(sqlite_engine, requests_per_client=1, sign_ins_per_client=1_000) as api:
        addresses = STRANGERS[strangers]
        factor = FACTORS[4][0 if strangers == "one address" else 1]
        headers = [wallet_at(api, addresses[number % len(addresses)]) for number in range(4)]
        headers += [{ORIGIN: address} for address in addresses]
        statuses = [
            api.get("/api/gpus", headers=headers[number % len(headers)]).status_code
            for number in range(factor * WINDOW_SECONDS + 20)
        ]
        assert 429 in statuses and statuses[-1] == 429 and statuses.count(200) <= factor * WINDOW_SECONDS
        assert api.get("/api/gpus", headers={ORIGIN: HONEST}).status_code == 200


@of_strangers
def test_node__of_many_wallets__leaves_others_their_part(sqlite_engine: Engine, strangers: str) -> None:
    with served(sqlite_engine, node_requests=4, node_requests_per_client=1, sign_ins_per_client=1_000) as api:
        addresses = STRANGERS[strangers]
        headers = [wallet_at(api, addresses[number % len(addresses)]) for number in range(8)]
        statuses = [api.get("/api/faucet", headers=headers[number % 8]).status_code for number in range(80)]
        assert statuses.count(200) == part_of(4 * WINDOW_SECONDS, MOST[strangers])
        assert api.get("/api/faucet", headers={ORIGIN: HONEST}).status_code == 200


@of_strangers
def test_feed__clients_of_a_network__are_its_part(strangers: str) -> None:
    admission = Admission(IndexerSettings(feed_clients=64))
    entered = []
    with pytest.raises(FeedFull, match="network"):
        for number, address in zip(range(65), STRANGERS[strangers] * 65, strict=False):
            entered += [admission.enter(f"wallet {number}", 50, address)]
    assert len(entered) == part_of(64, MOST[strangers])
    admission.enter("honest", 50, HONEST)


@of_strangers
@pytest.mark.parametrize(
    ("kept", "name"),
    [(webhooks, "webhooks"), (api_keys, "keys"), (searches, "searches")],
    ids=["webhooks", "keys", "searches"],
)
def test_rows__of_many_wallets__are_their_networks_part(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch, strangers: str, kept: object, name: str
) -> None:
    monkeypatch.setattr(kept, "MOST", 16)
    path, asked = {
        "webhooks": ("/api/webhooks", {"url": "https://a.example"}),
        "keys": ("/api/auth/keys", {"name": "a", "scopes": ["read"]}),
        "searches": ("/api/searches", {"name": "a", "filters": {}}),
    }[name]
    with served(sqlite_engine, sign_ins_per_client=1_000) as api:
        addresses = STRANGERS[strangers]
        headers = [wallet_at(api, addresses[number % len(addresses)]) for number in range(17)]
        answers = [api.post(path, json=asked, headers=each) for each in headers]
        statuses = [answer.status_code for answer in answers]
        assert statuses.count(201) == part_of(16, MOST[strangers])
        assert (answers[-1].status_code, answers[-1].json()["error"]) == (409, "network_full")
        assert api.post(path, json=asked, headers=wallet_at(api, HONEST)).status_code == 201


@of_strangers
def test_sign_ins__more_than_are_kept__end_those_of_the_heaviest_network(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch, strangers: str
) -> None:
    monkeypatch.setattr(sign_ins, "MOST", 16)
    addresses = STRANGERS[strangers]
    with writing(sqlite_engine) as connection:
        sign_ins.begin(connection, "honest", 0, Nest.of(HONEST))
        for number in range(100):
            sign_ins.begin(connection, f"wallet {number}", number, Nest.of(addresses[number % len(addresses)]))
    kept = rows_of(sqlite_engine, SignIn)
    assert len(kept) == 16 and "honest" in {each.wallet for each in kept}


def test_sign_in__renewed_for_long__keeps_no_more_used_tokens_than_it_may(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_ins, "MAX_USED", 3)
    with writing(sqlite_engine) as connection:
        grant = sign_ins.begin(connection, "wallet", 0)
        for now in range(1, 20):
            renewed = sign_ins.renew(connection, grant.refresh_token, now)
            assert isinstance(renewed, sign_ins.Grant)
            used, grant = grant, renewed
        assert len(connection.exec_driver_sql("SELECT * FROM refresh_token").all()) == 4
        assert not isinstance(sign_ins.renew(connection, used.refresh_token, 30), sign_ins.Grant)


def test_requests__of_an_address_beyond_its_rate__leave_its_neighbours_theirs(sqlite_engine: Engine) -> None:
    with served(sqlite_engine, requests_per_client=1) as api:
        stranger, neighbour = STRANGERS["a /24"][:2]
        statuses = [api.get("/api/gpus", headers={ORIGIN: stranger}).status_code for _ in range(400)]
        assert statuses.count(200) == WINDOW_SECONDS
        assert api.get("/api/gpus", headers={ORIGIN: neighbour}).status_code == 200


@of_strangers
def test_faucet__gifts_to_wallets_of_a_network__are_its_part(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch, strangers: str
) -> None:
    async def give(self: Faucet, owner: object, holder: str, take: Callable[[], Awaitable[None]]) -> Given:
        await take()
        return Given([], "signature")

    monkeypatch.setattr(Faucet, "give", give)
    plenty = dict.fromkeys(("sign_ins_per_client", "node_requests", "node_requests_per_client"), 1_000)
    with served(sqlite_engine, faucet_gifts=16, **plenty) as api:
        addresses = STRANGERS[strangers]

        def ask(address: str) -> Any:
            return api.post("/api/faucet", json={"wallet": str(Keypair().pubkey())}, headers={ORIGIN: address})

        answers = [ask(addresses[number % len(addresses)]) for number in range(40)]
        assert [answer.status_code for answer in answers].count(200) == part_of(16, MOST[strangers])
        refused = answers[-1]
        assert (refused.status_code, refused.json()["error"]) == (429, "too_many_requests")
        assert int(refused.headers["retry-after"]) > WINDOW_SECONDS
        assert ask(HONEST).status_code == 200


async def test_faucet__many_wallets_of_one_address__leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    faucet = Faucet(None, None)  # type: ignore[arg-type]
    release = asyncio.Event()

    async def give(owner: object, take: object) -> None:
        await release.wait()

    async def take() -> None:
        """Nobody counts."""

    monkeypatch.setattr(faucet, "_give", give)
    wallet = Keypair().pubkey()
    waiting = [asyncio.create_task(faucet.give(wallet, "203.0.113.9", take)) for _ in range(MOST_WAITING)]
    await asyncio.sleep(0)
    refused = [task.exception() for task in waiting if task.done()]
    assert len(refused) == MOST_WAITING - MOST_WAITING // 4
    assert all(isinstance(each, ApiError) and each.problem.status == 429 for each in refused)
    honest = asyncio.create_task(faucet.give(wallet, HONEST, take))
    await asyncio.sleep(0)
    assert not honest.done()
    release.set()
    await honest
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_ports__tries_of_one_address__leave_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    release = asyncio.Event()

    async def reached(*_: object, private: bool) -> list[int]:
        await release.wait()
        return []

    monkeypatch.setattr(reaching, "reached", reached)
    tries = PortTries()
    reach = Reach(host="a.example", ssh=2_000, token="ab" * 16, plain=(), certificate="cd" * 32, tls=())
    waiting = [asyncio.create_task(tries.reached(reach, "203.0.113.9", private=False)) for _ in range(MOST_TRIES)]
    honest = asyncio.create_task(tries.reached(reach, HONEST, private=False))
    await asyncio.sleep(0)
    refused = [task for task in waiting if task.done()]
    assert len(refused) == MOST_TRIES - MOST_TRIES // 4 and not honest.done()
    assert all(isinstance(task.exception(), NoTryLeft) for task in refused)
    release.set()
    assert await honest == []


async def test_ports__names_that_nobody_resolves__hold_their_share_until_the_lookup_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    def places(host: str, port: int) -> list[str]:
        release.wait(PATIENCE)
        raise OSError

    async def ask(holder: str) -> None:
        async with asyncio.timeout(0.01):
            await tries.reached(reach, holder, private=False)

    monkeypatch.setattr(name_lookup, "_places", places)
    tries = PortTries()
    reach = Reach(host="a.example", ssh=2_000, token="ab" * 16, plain=(), certificate="cd" * 32, tls=())
    for _ in range(MOST_TRIES // 4):
        with pytest.raises(TimeoutError):
            await ask("203.0.113.9")
    with pytest.raises(NoTryLeft):
        await ask("203.0.113.9")
    with pytest.raises(TimeoutError):  # there is room for others
        await ask(HONEST)
    release.set()

    async def is_free() -> bool:
        with suppress(OSError):
            try:
                await ask("203.0.113.9")
            except NoTryLeft:
                return False
        return True

    await until(is_free)


async def test_connections__of_many_addresses_of_a_network__make_room_among_themselves(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A /24 of this machine's own addresses stands for the strangers', another for the honest client's."""
    monkeypatch.setattr(connections, "networks_of", lambda address: (address, address.rpartition(".")[0]))
    settings = IndexerSettings(max_connections=8)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        server = server_of(settings, create_app(settings, engine=sqlite_engine))
        async with serving(server, listener):
            honest = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.9.1", 0))
            strangers = [
                await asyncio.open_connection("127.0.0.1", port, local_addr=(f"127.0.1.{host}", 0))
                for host in range(1, 20)
            ]
            honest[1].write(b"GET /api/gpus HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await honest[0].readline()).startswith(b"HTTP/1.1 200")
            for _, writer in (honest, *strangers):
                writer.close()


def test_wallet__with_standing__has_a_share_of_its_own() -> None:
    wallet = str(Keypair().pubkey())
    assert Nest.of(wallet) == (wallet,) * 3 and Nest.of("127.0.0.1") == ("",) * 3
    admission = Admission(IndexerSettings(feed_clients=64))
    for number in range(part_of(64, 2)):
        admission.enter(f"client {number}", 50, "203.0.113.9")
    admission.enter(wallet, 50, wallet)
