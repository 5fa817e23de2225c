"""A wallet's standing follows from the chain and the settings, and says how much it may ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from sqlalchemy import Engine, String, insert, inspect, select

from indexer.accounts.database import migrate_all
from indexer.accounts.models import AccountRecord, SignIn
from indexer.accounts.standing import RENTED_SECONDS, standing_of
from indexer.api.identity import standings
from indexer.api.identity.scopes import WEBHOOKS
from indexer.api.limits.limiter import POLICY_HEADER
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import Host, Listing, Record, Rental, Stake
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import open_database, writing
from indexer.store.transactions import Reads
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.databases import on_both_databases
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST
from tests.program.harness.flows import opened
from tests.program.harness.keys import keypair_of

OPERATOR = Keypair()
NOW = 1_000_000_000
NEEDED = ("/api/auth/me", "/api/auth/sign-out", "/api/auth/keys", "/api/auth/keys/{id}")


@pytest.fixture
def seeded(market: Market) -> SimpleNamespace:
    """A renter and the host."""
    renter = market.renter()
    opened(market, renter, listing=market.listings[0])
    return SimpleNamespace(market=market, renter=keypair_of(renter), host=keypair_of(HOST))


@pytest.fixture
def api(seeded: SimpleNamespace, engine: Engine) -> Iterator[TestClient]:
    ingest(seeded.market.transactions(), engine)
    settings = IndexerSettings(operators=f"{OPERATOR.pubkey()}", requests_per_wallet=10, participant_factor=4)
    with TestClient(create_app(settings, engine=engine)) as client:
        yield client


@on_both_databases
def test_me__roles__follow_from_the_chain_and_the_settings(api: TestClient, seeded: SimpleNamespace) -> None:
    wallets = {"renter": seeded.renter, "host": seeded.host, "operator": OPERATOR, "nobody": Keypair()}
    told = {name: api.get("/api/auth/me", headers=bearer(sign_in(api, wallet))) for name, wallet in wallets.items()}
    roles = {name: answer.json()["roles"] for name, answer in told.items()}
    assert roles == {"renter": ["renter"], "host": ["host"], "operator": ["operator"], "nobody": []}
    policies = {name: answer.headers[POLICY_HEADER] for name, answer in told.items()}
    assert policies["host"] == '"wallet";q=400;w=10'
    assert {policies[name] for name in ("renter", "operator", "nobody")} == {'"wallet";q=100;w=10'}


class Chain(Status):
    """Stands at a second; a heartbeat counts for ten minutes, and a thousand tokens of stake."""

    def __init__(self) -> None:
        super().__init__()
        self.market = cast("Any", SimpleNamespace(offline_after=600, quota_stake_step=1_000))

    def now(self) -> int:
        return NOW


def row(model: type[Record], **values: object) -> dict[str, object]:
    """A row with these values, and zero or nothing elsewhere."""
    filled = {column.name: "" if isinstance(column.type, String) else 0 for column in model.c if not column.nullable}
    return filled | values


@pytest.mark.parametrize(
    ("rows", "has_weight"),
    [
        ([], False),
        ([(Rental, {"status": "queued"})], False),
        ([(Rental, {"status": "provisioning"})], False),
        ([(Rental, {"status": "running", "started_at": 1})], True),
        ([(Rental, {"status": "cancelled", "ended_at": NOW})], False),
        ([(Rental, {"status": "completed", "started_at": 1, "ended_at": NOW - RENTED_SECONDS})], True),
        ([(Rental, {"status": "completed", "started_at": 1, "ended_at": NOW - RENTED_SECONDS - 1})], False),
        ([(Listing, {"visible": True, "last_heartbeat_at": NOW - 600})], True),
        ([(Listing, {"visible": True, "last_heartbeat_at": NOW - 601})], False),
        ([(Listing, {"visible": False, "last_heartbeat_at": NOW})], False),
        ([(Listing, {"visible": True, "last_heartbeat_at": NOW, "closed_at": 1})], False),
    ],
)
def test_standing__what_costs_nothing__has_no_weight(
    sqlite_engine: Engine, rows: list[tuple[type[Record], dict[str, object]]], has_weight: bool
) -> None:
    """Invariant IDX-17."""
    with writing(sqlite_engine) as connection:
        connection.execute(insert(Host.table).values(row(Host, address="host", authority="w")))
        for model, values in rows:
            own = {Rental: {"renter": "w"}, Listing: {"host": "host"}}[model]
            connection.execute(insert(model.table).values(row(model, address="a", **own) | values))
        assert standing_of(connection, "w", Chain()).has_weight is has_weight


@pytest.mark.parametrize(
    ("stake", "has_weight"),
    [({"active": 1_000}, True), ({"active": 999, "warming": 10**9, "cooling": 10**9}, False)],
)
def test_standing__stake_below_the_least__has_no_weight(
    sqlite_engine: Engine, stake: dict[str, int], has_weight: bool
) -> None:
    """Invariant IDX-17."""
    with writing(sqlite_engine) as connection:
        connection.execute(insert(Stake.table).values(row(Stake, address="a", owner="w", **stake)))
        assert standing_of(connection, "w", Chain()).has_weight is has_weight


def test_me__nobody__is_refused(api: TestClient) -> None:
    answer = api.get("/api/auth/me")
    assert (answer.status_code, answer.json()["error"]) == (401, "not_signed_in")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_description__credentials__are_needed_where_a_route_refuses_without(api: TestClient) -> None:
    description = api.get("/openapi.json").json()
    assert description["components"]["securitySchemes"].keys() == {"accessToken", "apiKey"}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            needed = {} not in operation["security"]
            refused = api.request(method, path.replace("{id}", "0" * 32)).status_code == 401 if needed else False
            assert needed == refused == (path in NEEDED or path.startswith(WEBHOOKS)), path


def test_limit__of_a_wallet__counts_whatever_it_asks_from(seeded: SimpleNamespace, sqlite_engine: Engine) -> None:
    with TestClient(create_app(IndexerSettings(requests_per_wallet=0.2), engine=sqlite_engine)) as api:
        first, second = (bearer(sign_in(api, seeded.renter)) for _ in range(2))
        answers = [api.get("/api/gpus", headers=headers).status_code for headers in (first, second, first)]
        assert answers == [200, 200, 429]
        assert api.get("/api/gpus").status_code == 200


@on_both_databases
def test_accounts__rebuild_of_the_index__leaves_them(api: TestClient, seeded: SimpleNamespace, engine: Engine) -> None:
    tokens = sign_in(api, seeded.renter)
    rebuild(engine)
    assert api.post("/api/auth/refresh", json={"refresh_token": tokens["refresh_token"]}).status_code == 200


@pytest.mark.parametrize("is_apart", [False, True])
def test_accounts__database__is_the_index_s_or_their_own(tmp_path: Path, is_apart: bool) -> None:
    index, apart = (f"sqlite:///{tmp_path / name}.db" for name in ("index", "accounts"))
    settings = IndexerSettings(database_url=index, accounts_database_url=apart if is_apart else None)
    engine, own = open_database(index), open_database(apart)
    migrate_all(settings, engine)
    migrate_all(settings, engine)
    with TestClient(create_app(settings, engine=engine)) as api:
        sign_in(api, Keypair())
    kept, others = (own, engine) if is_apart else (engine, own)
    with kept.connect() as connection:
        assert len(connection.execute(select(SignIn.c.id)).all()) == 1
    assert not set(AccountRecord.metadata.tables) & set(inspect(others).get_table_names())
    for each in (engine, own):
        each.dispose()


async def test_standings__more_wallets_than_are_kept__the_oldest_make_room(
    sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings, "MOST", 2)
    wallets = [str(Keypair().pubkey()) for _ in range(3)]
    with Reads(sqlite_engine) as reads:
        kept = standings.Standings(reads, Status())
        for wallet in (*wallets, wallets[0]):
            assert not (await kept.of(wallet)).has_weight
    assert [*kept._kept] == [wallets[2], wallets[0]]
