"""The API over an index that a test adds to, a signed-in wallet, and a receiver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from indexer.accounts import deliveries
from indexer.accounts.models import Webhook
from indexer.api.main import create_app
from indexer.api.webhooks import delivering, sending
from indexer.api.webhooks.kinds import TEST
from indexer.api.webhooks.notices import notice
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import writing
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.webhooks.receiver import Receiver, receiving
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.program.harness.flows import running

SETTINGS = IndexerSettings(
    sign_in_domain="market.example", sign_in_chain="solana:devnet", sign_ins_per_client=1_000, webhook_private=True
)

Add = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round looks at the jobs that run. No attempt is cut: a busy machine answers late, and has it sent again."""
    monkeypatch.setattr(delivering, "TIMED_SECONDS", 0.0)
    monkeypatch.setattr(sending, "QUICK_SECONDS", PATIENCE)


class Clock(Status):
    """Stands at a second of the chain."""

    at = 0

    def now(self) -> int:
        return self.at


@pytest.fixture
def status(market: Market) -> Clock:
    clock, told = market.node.clock, Clock()
    told.saw_head(clock.slot, clock.unix_timestamp, market.market())
    told.at = market.now
    return told


@pytest.fixture
def take_in(market: Market, writer: Engine) -> Callable[[], None]:
    """The index takes in what has happened."""
    return lambda: ingest(market.transactions(), writer) and None


@pytest.fixture
def job(market: Market) -> Pubkey:
    return running(market, market.renter(), listing=market.listings[0])


@pytest.fixture
def api(
    market: Market, job: Pubkey, engine: Engine, take_in: Callable[[], None], status: Clock
) -> Iterator[TestClient]:
    """Over an index with a job that runs."""
    take_in()
    with TestClient(create_app(SETTINGS, engine=engine, status=status)) as client:
        yield client


@pytest.fixture
def headers(api: TestClient) -> dict[str, str]:
    return bearer(sign_in(api, Keypair()))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as started:
        yield started


@pytest.fixture
def add(api: TestClient, headers: dict[str, str], receiver: Receiver) -> Add:
    """Adds an endpoint at the receiver, which then knows its secret."""

    def added(**asked: Any) -> dict[str, Any]:
        answer = api.post("/api/webhooks", json={"url": receiver.url, **asked}, headers=headers)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        receiver.secrets.append(made["secret"])
        return made

    return added


@pytest.fixture
def known(sqlite_engine: Engine) -> Engine:
    """A database with one endpoint, and one notice for it."""
    values: dict[str, Any] = {"wallet": "w", "url": "u", "types": "", "topics": "", "low_funds": "", "secret": "s"}
    made = Webhook(id="endpoint", created_at=0, since=0, index_id="", number=0, **values)
    with writing(sqlite_engine) as connection:
        connection.execute(Webhook.table.insert().values(vars(made)))
        deliveries.note(connection, [notice("endpoint", TEST, "msg_1", "{}", 0)])
    return sqlite_engine
