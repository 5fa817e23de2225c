"""Pages of a market with many machines: exact, kept, and made without quoting every machine."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine, insert, select

from anchor_client.rules.hourly import Pricing
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.models import Host, Listing
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.api.test_prepared import selects
from tests.indexer.databases import on_both_databases
from tests.markets.recorded import Market
from tests.program.harness.changes import post_price
from tests.program.harness.terms import WSOL_PRICE

PATH: Final = "/api/marketplace/listings"
MACHINES: Final = 600
HOSTS: Final = 30
TOKEN: Final = 10**9


def fill(engine: Engine) -> None:
    """Machines at all prices, some of them of hosts with a budget for subsidies, and some not offered for spot."""
    chance = Random(7)
    with engine.begin() as connection:
        host = connection.execute(select(Host.table)).mappings().one()
        listing = connection.execute(select(Listing.table)).mappings().one()
        hosts = [
            {**host, "address": str(Pubkey.new_unique()), "subsidy_budget": chance.choice([0, 1, TOKEN, 10**6 * TOKEN])}
            for _ in range(HOSTS)
        ]
        machines = [
            {
                **listing,
                "address": str(Pubkey.new_unique()),
                "host": chance.choice(hosts)["address"],
                "number": number,
                "on_demand_usd": chance.randint(50_000, 400_000) * chance.choice([1, 20]),
                "spot_min_usd": chance.choice([0, chance.randint(20_000, 40_000)]),
            }
            for number in range(1, MACHINES)
        ]
        connection.execute(insert(Host.table), hosts)
        connection.execute(insert(Listing.table), machines)


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    market.act(post_price(WSOL_PRICE))
    ingest(market.transactions(), engine)
    fill(engine)
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    with TestClient(create_app(IndexerSettings(requests_per_client=1_000), engine=engine, status=status)) as client:
        yield client


def every(api: TestClient, **asked: Any) -> list[str]:
    """Addresses of all listings, by pages."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = api.get(PATH, params={"limit": 50, **asked} | ({} if cursor is None else {"cursor": cursor})).json()
        found += [listing["id"] for listing in page["listings"]]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


@on_both_databases
@pytest.mark.parametrize("sort", ["price", "spot_price"])
def test_listings__cheapest_first__are_those_of_dearest_first_backwards(api: TestClient, sort: str) -> None:
    cheapest = every(api, sort=sort, order="asc")
    assert len(cheapest) == MACHINES == len(set(cheapest))
    dearest = every(api, sort=sort, order="desc")
    none = len(every(api, spot="false")) if sort == "spot_price" else 0
    assert cheapest[: MACHINES - none] == dearest[: MACHINES - none][::-1]


def test_listings__first_page_of_many__quotes_no_machine_that_cannot_be_on_it(
    api: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted: list[object] = []
    quote = Pricing._quoted

    def counting(self: Pricing, *parts: Any) -> Any:
        quoted.append(parts)
        return quote(self, *parts)

    monkeypatch.setattr(Pricing, "_quoted", counting)
    shown = api.get(PATH, params={"limit": 5}).json()["listings"]
    assert len(shown) == 5 and len(quoted) < MACHINES // 4


def test_listings__largest_page__is_kept(api: TestClient, engine: Engine) -> None:
    first = api.get(PATH, params={"limit": 200})
    assert len(first.json()["listings"]) == 200 and len(first.content) > 500_000
    asked = selects(engine)
    assert api.get(PATH, params={"limit": 200}).content == first.content
    assert asked() == 0
