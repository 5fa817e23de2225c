"""A desk for wallets: they ask the API for acts, sign and send them, and each summary is held against the chain."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from sqlalchemy import Engine

from anchor_client.solana.tokens import NATIVE_MINT
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from localnet.records import TransactionRecord
from localnet.server import LocalCluster
from tests.markets.recorded import Market
from tests.program.harness.keys import keypair_of

STILL_SLOTS_MS = 10**9
"""No slot passes by itself, so what an act moves is the same when it lands."""
SOL = str(NATIVE_MINT)


class Desk:
    """An API and a market behind it."""

    def __init__(self, api: httpx.AsyncClient, market: Market, cluster: LocalCluster) -> None:
        self.api = api
        self.market = market
        self.cluster = cluster.cluster
        self.url = cluster.http_url

    async def asked(self, path: str, wallet: Pubkey, **body: Any) -> httpx.Response:
        """The API's answer."""
        return await self.api.post(path, json={"wallet": str(wallet), **body})

    async def prepared(self, path: str, wallet: Pubkey, **body: Any) -> dict[str, Any]:
        """An act to sign."""
        answer = await self.asked(path, wallet, **body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    async def lands(self, path: str, wallet: Pubkey, **body: Any) -> dict[str, Any]:
        """An act that was signed and has landed, and did what its summary says."""
        act = await self.prepared(path, wallet, **body)
        agrees(act, self.sent(act, wallet), wallet)
        return act

    def sent(self, act: dict[str, Any], wallet: Pubkey) -> TransactionRecord:
        """An act, signed and landed."""
        assert act["signers"] == [str(wallet)]
        record = self.cluster.execute(signed(act, wallet))
        assert record.err is None, record.meta["logMessages"]
        return record

    async def refused(self, path: str, wallet: Pubkey, **body: Any) -> tuple[int, str]:
        """The status and the name of a refusal, which says a remedy; nothing was sent."""
        answer = await self.asked(path, wallet, **body)
        assert answer.status_code >= 400, answer.text
        told = answer.json()
        assert told["remedy"] and told["detail"]
        return answer.status_code, told["error"]


def signed(act: dict[str, Any], wallet: Pubkey) -> VersionedTransaction:
    """An act with its wallet's signature."""
    unsigned = VersionedTransaction.from_bytes(base64.b64decode(act["transaction"]))
    assert unsigned.message.account_keys[0] == wallet
    return VersionedTransaction(unsigned.message, [keypair_of(wallet)])


def agrees(act: dict[str, Any], record: TransactionRecord, wallet: Pubkey) -> None:
    """The summary's movements are what balances have changed by, to the base unit, and its fee is the fee."""
    summary = act["summary"]
    assert summary["fee"] == str(record.meta["fee"])
    told: Counter[tuple[str, str]] = Counter()
    for moved in summary["movements"]:
        told[moved["mint"], moved["from"]] -= int(moved["amount"])
        if moved["to"] is not None:
            told[moved["mint"], moved["to"]] += int(moved["amount"])
    told[SOL, str(wallet)] -= int(summary["fee"])
    assert {place: amount for place, amount in told.items() if amount} == changes(record)
    paid: Counter[str] = Counter({SOL: int(summary["fee"])})
    for moved in summary["movements"]:
        if moved["from"] == str(wallet):
            paid[moved["mint"]] += int(moved["amount"])
    most = {one["mint"]: int(one["amount"]) for one in summary["most"]}
    assert all(most[mint] >= amount for mint, amount in paid.items())


def changes(record: TransactionRecord) -> dict[tuple[str, str], int]:
    """Changes of balances by mint and owner; lamports of an account of wrapped SOL are its owner's."""
    meta, keys = record.meta, [str(key) for key in record.account_keys()]
    found: Counter[tuple[str, str]] = Counter()
    owners: dict[str, str] = {}
    for sign, side in ((-1, "preTokenBalances"), (1, "postTokenBalances")):
        for one in meta[side]:
            if one["mint"] == SOL:
                owners[keys[one["accountIndex"]]] = one["owner"]
            else:
                found[one["mint"], one["owner"]] += sign * int(one["uiTokenAmount"]["amount"])
    for key, before, after in zip(keys, meta["preBalances"], meta["postBalances"], strict=True):
        found[SOL, owners.get(key, key)] += after - before
    return {place: amount for place, amount in found.items() if amount}


@asynccontextmanager
async def open_desk(engine: Engine) -> AsyncIterator[Desk]:
    """A desk at a market with one machine, whose clock stands still unless a test moves it."""
    async with LocalCluster(slot_ms=STILL_SLOTS_MS) as cluster:
        market = Market(cluster.cluster)
        settings = IndexerSettings(
            rpc_url=cluster.http_url,
            ws_url=cluster.ws_url,
            node_requests=10_000,
            node_requests_per_client=10_000,
            node_cache_seconds=0,
        )
        app = create_app(settings, engine=engine)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://api") as api,
        ):
            yield Desk(api, market, cluster)
