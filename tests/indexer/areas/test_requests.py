"""Requests in the index, from the program's own events, and how the API tells of them. Invariant IDX-5."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, update

from anchor_client.generated import accounts
from anchor_client.generated.events import RequestOpened
from anchor_client.generated.program import PROGRAM_ID
from indexer.api.main import create_app
from indexer.index.decode import decode
from indexer.index.ingest import ingest
from indexer.index.proof.reconcile import LEDGER, addresses_of, known_vaults, reconcile
from indexer.index.sources.head import Head
from indexer.index.transaction import Transaction
from indexer.models import Reconciliation, Rental, Renter, Request, SeqGap, Vault
from indexer.settings import IndexerSettings
from indexer.store.events import Decoded
from tests.indexer.tables import only, rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import KEEPER, USDC
from tests.program.harness.flows import matched as match
from tests.program.harness.terms import HOUR, REQUEST

H100 = "nvidia-h100-pcie-80gb"
DEPOSIT = REQUEST.deposit


@pytest.fixture
def asked(market: Market) -> SimpleNamespace:
    """One request of each fate, a minute apart."""
    renter, other = market.renter(), market.renter()
    cancelled = market.ask(renter)
    market.act(market.cancel_request(cancelled))
    market.pass_time(60)
    matched = market.ask(renter, regions=1 << 3 | 1 << 1, near_region=1, min_score_bps=0)
    rental = match(market, matched, market.listings[0])
    market.pass_time(60)
    expired = market.ask(other, mint=USDC, expires_at=market.now + 30)
    market.pass_time(60)
    market.act(market.expire_request(expired))
    waiting = market.ask(other, mint=USDC)
    return SimpleNamespace(
        market=market,
        renter=renter,
        other=other,
        cancelled=cancelled,
        matched=matched,
        rental=rental,
        expired=expired,
        waiting=waiting,
    )


def test_requests__each_fate__is_in_the_table(asked: SimpleNamespace, engine: Engine) -> None:
    market: Market = asked.market
    ingest(market.transactions(), engine)
    assert rows_of(engine, SeqGap) == []
    rows = {row.address: row for row in rows_of(engine, Request)}
    rental = only(engine, Rental)
    ends = {
        name: (row.status, row.refunded, row.finalized_by, row.rental)
        for name in ("cancelled", "matched", "expired", "waiting")
        for row in [rows[str(getattr(asked, name))]]
    }
    assert ends == {
        "cancelled": ("cancelled", DEPOSIT, str(asked.renter), None),
        "matched": ("matched", DEPOSIT - rental.deposit, str(KEEPER), str(asked.rental)),
        "expired": ("expired", DEPOSIT, str(KEEPER), None),
        "waiting": ("open", 0, None, None),
    }
    assert (rental.address, rental.open_tx) == (
        str(asked.rental),
        rows[str(asked.matched)].close_tx,
    )
    assert {row.wallet: (row.next_nonce, row.active_rentals) for row in rows_of(engine, Renter)} == {
        str(wallet): (asked.market.profile(wallet).next_nonce, active)
        for wallet, active in ((asked.renter, 1), (asked.other, 0))
    }


def test_requests__vaults__agree_with_the_chain(asked: SimpleNamespace, engine: Engine) -> None:
    market: Market = asked.market
    ingest(market.transactions(), engine)
    for vault in rows_of(engine, Vault):
        account = market.read(accounts.Vault, Pubkey.from_string(vault.address))
        assert {name: getattr(vault, name) for name in LEDGER} == {name: getattr(account, name) for name in LEDGER}
    vaults = known_vaults(engine)
    assert reconcile(engine, vaults, head(market, engine)).agreeing == {vault.vault for vault in vaults}


def test_requests__forgotten_by_the_index__differs_from_the_vault(asked: SimpleNamespace, engine: Engine) -> None:
    market: Market = asked.market
    ingest(market.transactions(), engine)
    with engine.begin() as connection:
        connection.execute(
            update(Request.table).where(Request.c.address == str(asked.waiting)).values(status="cancelled")
        )
    vaults, now = known_vaults(engine), head(market, engine)
    [(vault, difference)] = reconcile(engine, vaults, now).doubts.items()
    assert reconcile(engine, vaults, now, {vault: now.slot}).doubts == {vault: difference}
    assert {check.difference for check in rows_of(engine, Reconciliation)} == {None}
    assert reconcile(engine, vaults, now, {vault: now.slot - 1}).differences == {vault: difference}
    assert {check.difference for check in rows_of(engine, Reconciliation)} == {None, difference}
    assert difference == f"open rentals, meters and requests hold 0, liabilities are {DEPOSIT}"


def test_requests__opening_missed__is_gaps_and_no_crash(asked: SimpleNamespace, engine: Engine) -> None:
    market: Market = asked.market
    result = ingest([item for item in market.transactions() if not opens(item, asked.matched)], engine)
    assert result.gaps["request"] == 1 and result.gaps["vault"] >= 1


def opens(transaction: Transaction, request: Pubkey) -> bool:
    found = (item.event for item in decode(transaction, str(PROGRAM_ID)) if isinstance(item, Decoded))
    return any(isinstance(event, RequestOpened) and event.request == request for event in found)


def head(market: Market, engine: Engine) -> Head:
    """The chain as it stands, with what reconciling reads."""
    found = []
    for address in addresses_of(known_vaults(engine)):
        account = market.cluster.account(address)
        found.append(None if account is None else account.data)
    clock = market.node.clock
    return Head(clock.slot, clock.unix_timestamp, tuple(found))


@pytest.fixture
def api(asked: SimpleNamespace, engine: Engine) -> Any:
    market: Market = asked.market
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["waiting", "expired", "matched", "cancelled"]),
        ("status=open", ["waiting"]),
        ("status=matched", ["matched"]),
        ("renter={0}", ["matched", "cancelled"]),
        ("renter={1}&status=cancelled", []),
    ],
)
def test_api_requests__filters__newest_first(
    api: TestClient, asked: SimpleNamespace, query: str, found: list[str]
) -> None:
    wallets = [str(asked.renter), str(asked.other)]
    page = api.get(f"/api/requests?{query.format(*wallets)}").json()
    assert [request["id"] for request in page["requests"]] == [str(getattr(asked, name)) for name in found]
    assert page["next_cursor"] is None


def test_api_requests__cursor__gives_each_once(api: TestClient) -> None:
    whole = api.get("/api/requests").json()["requests"]
    cursor, rows = "", []
    while cursor is not None:
        page = api.get(f"/api/requests?limit=1{cursor}").json()
        rows += page["requests"]
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    assert rows == whole and len(rows) == 4


def test_api_request__matched__names_job_and_amounts(api: TestClient, asked: SimpleNamespace) -> None:
    request = api.get(f"/api/requests/{asked.matched}").json()
    assert (request["status"], request["job"]) == ("matched", str(asked.rental))
    assert (request["regions"], request["near"], request["gpu"]) == (["us-east", "eu-west"], "us-east", H100)
    job = api.get(f"/api/jobs/{asked.rental}").json()
    assert int(request["deposit"]) == int(job["deposit"]) + int(request["refunded"])
    assert request["close_tx"] == job["open_tx"]
    assert (request["duration"], request["decimals"], request["max_usd"]) == (HOUR, 6, REQUEST.max_usd)


def test_api_request__unknown__is_not_found_with_a_remedy(api: TestClient) -> None:
    answer = api.get("/api/requests/So11111111111111111111111111111111111111112")
    assert answer.status_code == 404
    assert answer.json()["error"] == "request_not_found" and answer.json()["remedy"]
