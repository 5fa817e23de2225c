"""A machine's ports, tried by the API for its operator: which count, who may ask, and what is never tried."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.machine.reach import Reach, SignedReach
from anchor_client.solana.wallet import Wallet
from host_agent.web import TlsIdentity
from indexer.api import reaching
from indexer.api.main import create_app
from indexer.api.webhooks.addresses import AddressRefused
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST, LISTING
from tests.program.harness.changes import approve_host
from tests.program.harness.keys import keypair_of

HERE = "127.0.0.1"
TOKEN = "0123456789abcdef" * 2
HOUR_MS = 3_600_000
REACH = Reach(host=HERE, ssh=20_000, token=TOKEN, plain=(20_001,), certificate="0" * 64, tls=(20_007,))


async def here(host: str, port: int) -> list[str]:
    return [HERE]


class Machine:
    """Servers of this machine, each of which answers in its own way."""

    def __init__(self, stack: AsyncExitStack, folder: Path) -> None:
        self._stack = stack
        self.identity = TlsIdentity.load_or_create(folder / "certificate.pem", HERE)

    async def serve(self, text: bytes, tls: ssl.SSLContext | None = None) -> int:
        """The port of a server that says this and hangs up."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(text)
            writer.close()

        server = await self._stack.enter_async_context(await asyncio.start_server(answer, HERE, 0, ssl=tls))
        port: int = server.sockets[0].getsockname()[1]
        return port


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    async with AsyncExitStack() as stack:
        yield Machine(stack, tmp_path)


async def test_reached__ports_that_are_the_machines__are_told_and_no_others(machine: Machine) -> None:
    tls = machine.identity.context
    own = [await machine.serve(b"SSH-2.0-x\r\n"), await machine.serve(TOKEN.encode()), await machine.serve(b"", tls)]
    others = [await machine.serve(b"220 mail\r\n"), await machine.serve(b"SSH-2.0-x\r\n")]
    reach = Reach(
        host=HERE,
        ssh=own[0],
        token=TOKEN,
        plain=(own[1], others[0], others[1], own[2]),
        certificate=machine.identity.digest,
        tls=(own[2], others[0]),
    )
    found = await reaching.reached(reach, here, private=True)
    assert found == own
    assert await reaching.reached(replace(reach, ssh=others[0]), here, private=True) == own[1:]
    other = await reaching.reached(replace(reach, token="f" * 32, certificate="f" * 64), here, private=True)
    assert other == own[:1]


async def test_reached__port_that_never_answers__is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "SECONDS", 0.05)

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(wait, HERE, 0) as server:
        port = server.sockets[0].getsockname()[1]
        reach = replace(REACH, ssh=port, plain=(), tls=())
        assert await reaching.reached(reach, here, private=True) == []


@pytest.mark.parametrize("place", [HERE, "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"])
async def test_reached__address_that_is_not_public__is_never_connected_to(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8", place]

    monkeypatch.setattr(reaching, "port_answer", None)
    with pytest.raises(AddressRefused, match="is not a public address"):
        await reaching.reached(REACH, resolve, private=False)


@pytest.fixture
def wallet() -> Wallet:
    return Wallet(keypair_of(HOST))


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    ingest(market.transactions(), engine)
    settings = IndexerSettings(requests_per_client=1_000, node_requests_per_client=1_000, node_requests=1_000)
    with TestClient(create_app(settings, engine=engine)) as client:
        yield client


def ask(api: TestClient, signed: SignedReach, **changes: Any) -> httpx2.Response:
    body = {"reach": asdict(signed.reach), "signed_at": signed.signed_at, "signature": str(signed.signature)}
    return api.post(f"/api/marketplace/listings/{signed.listing}/reach", json=body | changes)


def refused(answer: httpx2.Response, status: int, error: str) -> None:
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, error), body
    assert body["detail"] and body["remedy"]


def test_reach__signed_by_the_operator__is_tried(
    api: TestClient, wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def reached(reach: Reach, resolve: Any, *, private: bool) -> list[int]:
        asked.append((reach, private))
        return [20_001]

    monkeypatch.setattr("indexer.api.reaching.reached", reached)
    answer = ask(api, SignedReach.signed(wallet, LISTING, REACH))
    assert (answer.status_code, answer.json()) == (200, {"reached": [20_001]})
    assert asked == [(REACH, False)]


def test_reach__private_address_or_no_name__is_refused(api: TestClient, wallet: Wallet) -> None:
    for host in (HERE, "10.1.2.3", "::1", "localhost", "a..example"):
        signed = SignedReach.signed(wallet, LISTING, replace(REACH, host=host))
        refused(ask(api, signed), 409, "address_not_tried")


def test_reach__of_another_key_or_another_request__is_refused(api: TestClient, wallet: Wallet) -> None:
    refused(ask(api, SignedReach.signed(Wallet(Keypair()), LISTING, REACH)), 403, "reach_not_signed")
    signed = SignedReach.signed(wallet, LISTING, REACH)
    refused(ask(api, replace(signed, reach=replace(REACH, host="8.8.8.8"))), 403, "reach_not_signed")
    refused(ask(api, SignedReach.signed(wallet, Pubkey.new_unique(), REACH)), 404, "listing_not_found")


def test_reach__out_of_time__is_refused(api: TestClient, wallet: Wallet) -> None:
    now = int(time.time() * 1_000)
    for signed_at in (now - HOUR_MS, now + HOUR_MS):
        refused(ask(api, SignedReach.signed(wallet, LISTING, REACH, signed_at)), 409, "reach_untimely")


def test_reach__host_that_is_not_approved__is_refused(
    api: TestClient, market: Market, engine: Engine, wallet: Wallet
) -> None:
    market.act(approve_host(approved=False))
    ingest(market.transactions(), engine)
    refused(ask(api, SignedReach.signed(wallet, LISTING, REACH)), 403, "host_not_approved")


@pytest.mark.parametrize(
    "wrong",
    [
        {"ssh": 22},
        {"plain": [25]},
        {"tls": [70_000]},
        {"plain": [2_000] * 9},
        {"token": "GET /"},
        {"host": "a b"},
        {"x": 1},
    ],
)
def test_reach__that_is_none__is_named(api: TestClient, wallet: Wallet, wrong: dict[str, Any]) -> None:
    signed = SignedReach.signed(wallet, LISTING, REACH)
    answer = ask(api, signed, reach=asdict(REACH) | wrong)
    assert answer.status_code == 422 and next(iter(wrong)) in answer.text
