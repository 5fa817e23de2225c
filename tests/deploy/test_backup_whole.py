"""A whole market's backup, restored beside: equal by every table's hash and by the chain, and followed from there."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, MetaData, insert, text
from xprocess import XProcess

from indexer.accounts import models as accounts
from indexer.index.proof.maintenance import verify
from indexer.models import Rental
from indexer.models.base import Record
from indexer.models.sealed_orders import SealedOrder
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from localnet.server import LocalCluster
from tests.deploy.test_backup import BACKUP, POSTGRES, RESTORE, opened
from tests.indexer import postgres
from tests.indexer.busy import busy
from tests.indexer.service import indexed, until_status
from tests.indexer.spot import bid
from tests.indexer.tables import contents, rows_of
from tests.markets.recorded import Market
from tests.program.harness import flows
from tests.program.harness.spot import LEAST, held

LATER, DIGEST = 4_000_000_000, "0" * 64
OF_A_PROCESS = {"progress"}
"""Tables of how far a process is, which a service writes as it starts."""
OF_CHECKS = {"supply_check", "reconciliation"}


@pytest.fixture
async def local() -> AsyncIterator[LocalCluster]:
    async with LocalCluster(slot_ms=100) as running:
        yield running


def open_everything(market: Market) -> None:
    """Rentals, requests and orders of every state that does not end by itself, after one of each that has ended."""
    busy(market)
    renter = market.renter()
    flows.opened(market, renter, listing=market.list_machine())
    flows.running(market, renter, listing=market.list_machine())
    flows.finished(market, renter, listing=market.list_machine(), seconds=600)
    market.act(market.contest_finish(flows.finished(market, renter, listing=market.list_machine(), seconds=600)))
    market.ask(renter)
    flows.matched(market, market.ask(renter), market.list_machine())
    spot = market.list_machine()
    held(market, renter, listing=spot)
    bid(market, market.renter(), spot, LEAST)


def secrets(market: Market) -> list[Record]:
    """Rows that the chain does not bring back: sign-ins, keys, webhooks and orders in every state."""
    wallet = str(market.renter())
    hook = {"wallet": wallet, "url": "https://x.example", "types": "job.started", "topics": "jobs", "low_funds": "600s"}
    hook |= {"secret": "whsec_x", "created_at": 1, "index_id": "1", "number": 0, "since": 1}
    notice = {"endpoint": "a", "type": "job.started", "body": "{}", "made_at": 1, "next_at": 2}
    return [
        accounts.UsedNonce(nonce="n", expires_at=LATER),
        accounts.SignIn(id="a", wallet=wallet, created_at=1, expires_at=LATER),
        accounts.SignIn(id="b", wallet=wallet, created_at=1, expires_at=LATER, revoked_at=2),
        accounts.RefreshToken(digest=DIGEST, sign_in="a", used_at=3),
        accounts.RefreshToken(digest="1" * 64, sign_in="a"),
        accounts.ApiKey(id="k", wallet=wallet, name="Käse \"'\\", scopes="read", digest=DIGEST, created_at=1),
        accounts.ApiKey(
            id="l", wallet=wallet, name="", scopes="", digest="2" * 64, created_at=1, expires_at=LATER, last_used_at=60
        ),
        accounts.Webhook(id="a", **hook),
        accounts.Webhook(id="b", **hook, old_secret="whsec_y", old_secret_until=LATER, due_at=5, is_quick=True),
        accounts.Webhook(id="c", **hook, failing_since=1, disabled_at=2, disabled_reason="410"),
        accounts.SavedSearch(id="s", wallet=wallet, name="Käse", filters='{"region": "eu-de"}', created_at=1),
        accounts.NoticePlace(id=1, index_id="1", number=0),
        accounts.WebhookChange(number=1, endpoint="a"),
        accounts.WebhookDelivery(id="1", number=1, **notice),
        accounts.WebhookDelivery(id="2", number=2, **notice, status="delivered", attempts=1, response=204, last_at=3),
        accounts.WebhookDelivery(id="3", number=3, **notice, status="failed", attempts=9, error="it is \0".strip("\0")),
        *(
            SealedOrder(
                renter=wallet,
                order_hash=str(number) * 64,
                signed_at=1,
                signature="5" * 88,
                received_at=2,
                kept_until=LATER,
                sealed=bytes(range(256)) * number,
            )
            for number in (1, 2)
        ),
    ]


def keep(engine: Engine, rows: list[Record]) -> None:
    with engine.begin() as connection:
        for row in rows:
            values = {column.name: getattr(row, column.name) for column in type(row).table.columns}
            connection.execute(insert(type(row).table).values(values))


def hashes(engine: Engine) -> dict[str, tuple[int, str]]:
    """Number of rows and SHA-256 of each table that the database has, whoever made it."""
    with engine.connect() as connection:
        known = MetaData()
        known.reflect(connection)
        return {table: _hash(connection, table) for table in sorted(known.tables) if table not in OF_A_PROCESS}


def _hash(connection: Connection, table: str) -> tuple[int, str]:
    rows = connection.execute(text(f'SELECT * FROM "{table}"')).all()
    lines = sorted(repr([bytes(each) if isinstance(each, memoryview) else each for each in row]) for row in rows)
    return len(lines), sha256("\n".join(lines).encode()).hexdigest()


async def back_up_a_whole_market(local: LocalCluster, source: str, target: str, folder: Path) -> None:
    market = Market(local.cluster)
    open_everything(market)
    first = opened(source)
    assert (await verify(settings_of(local, source), first)).problems == []
    keep(first, secrets(market))
    kept = hashes(first)
    empty = {table for table, (count, _) in kept.items() if count == 0}
    assert not empty & {table.name for table in accounts.AccountRecord.metadata.tables.values()}, "every kind is there"
    assert len({rental.status for rental in rows_of(first, Rental)}) > 5

    copy(source, target, folder / "market.backup")
    unopened = open_database(target)
    assert hashes(unopened) == kept
    unopened.dispose()

    second = opened(target)
    assert (await verify(settings_of(local, target), second)).problems == []
    renter, listing = market.renter(), market.list_machine()
    async with indexed(local, target) as api:
        rental = flows.running(market, renter, listing=listing)
        await until_status(api, str(rental), "running")
        market.act(market.stop_rental(rental))
        await until_status(api, str(rental), "completed")
    for url, engine in ((source, first), (target, second)):
        assert (await verify(settings_of(local, url), engine)).problems == []
    assert followed(first) == followed(second)
    first.dispose()
    second.dispose()


def followed(engine: Engine) -> dict[str, list[tuple[object, ...]]]:
    """Every table but those of checks, which say at which slot they were made."""
    return {name: rows for name, rows in contents(engine).items() if name not in OF_CHECKS}


def copy(source: str, target: str, file: Path) -> None:
    """By a backup that is restored."""
    subprocess.run([BACKUP, source, str(file)], check=True)
    subprocess.run([RESTORE, str(file), target], check=True)


def settings_of(local: LocalCluster, url: str) -> IndexerSettings:
    return IndexerSettings(rpc_url=local.http_url, ws_url=local.ws_url, database_url=url)


async def test_backup__whole_market_in_sqlite__is_equal_and_followed(local: LocalCluster, tmp_path: Path) -> None:
    first, second = (f"sqlite:///{tmp_path / name}.db" for name in ("first", "second"))
    await back_up_a_whole_market(local, first, second, tmp_path)


@contextmanager
def two_databases(xprocess: XProcess) -> Iterator[tuple[str, str]]:
    """Two empty ones on one server."""
    with postgres.server(xprocess, postgres.require()) as url:
        engine = open_database(url).execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for name in ("first", "second"):
                connection.execute(text(f"CREATE DATABASE {name}"))
        engine.dispose()
        yield url.replace("/postgres?", "/first?"), url.replace("/postgres?", "/second?")


@pytest.mark.parametrize("database", [pytest.param("postgres", marks=POSTGRES)])
async def test_backup__whole_market_in_postgres__is_equal_and_followed(
    local: LocalCluster, xprocess: XProcess, tmp_path: Path, database: str
) -> None:
    if shutil.which("pg_dump") is None:
        pytest.skip("there is no pg_dump")
    with two_databases(xprocess) as (first, second):
        await back_up_a_whole_market(local, first, second, tmp_path)
