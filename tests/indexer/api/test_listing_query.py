"""Filters and orders of listings, and cursors that hold in each order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.listing_query import KEYS, ListingSort, Order
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import on_both_databases
from tests.markets.recorded import Market
from tests.program.harness.actors import GPUM, HOST, USDC
from tests.sweeps import sampled

PATH = "/api/marketplace/listings"


def paid(listing: dict[str, Any], kind: str) -> int | None:
    """Micro-USD that an order pays in the market token."""
    return next((rate["micro_usd_per_hour"] for rate in listing["rates"] if rate["kind"] == kind), None)


FIELD = {
    ListingSort.PRICE: lambda listing: paid(listing, "on-demand"),
    ListingSort.SPOT_PRICE: lambda listing: paid(listing, "spot"),
    ListingSort.MARKET_PRICE: lambda listing: listing["market_rate"]["micro_usd_per_hour"],
    ListingSort.MODEL: lambda listing: ["nvidia-h100-pcie-80gb", "nvidia-rtx-4090-24gb"].index(listing["gpu"]),
    ListingSort.REGION: lambda listing: ["us-east", "us-west", "eu-west"].index(listing["region"]),
    ListingSort.GPU_COUNT: lambda listing: listing["gpu_count"],
    ListingSort.VRAM: lambda listing: listing["vram_gb"],
    ListingSort.NET_UP: lambda listing: listing["net_up_mbps"],
    ListingSort.NET_DOWN: lambda listing: listing["net_down_mbps"],
    ListingSort.DISK: lambda listing: listing["disk_gb"],
    ListingSort.CUDA: lambda listing: [int(part) for part in listing["cuda"].split(".")],
    ListingSort.SCORE: lambda listing: listing["host_score_bps"] or -1,
    ListingSort.NEWEST: lambda listing: 0,
}
"""Sort key of a listing, for each order."""


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    """Five machines that are on offer and a hidden one."""
    market.list_machine(gpu_model=6, gpu_count=1, vram_gb=24, region=1, on_demand_usd=190_000, spot_min_usd=0)
    market.list_machine(region=1, net_up_mbps=100, net_down_mbps=9_000, cuda=1_102, on_demand_usd=5_000_000)
    market.list_machine(disk_gb=9_000, cuda=1_210, spot_min_usd=700_000, region=2)
    market.list_machine(disk_gb=9_000, gpu_count=8, ram_gb=2_000, cpu_cores=128)
    market.list_machine(visible=False)
    ingest(market.transactions(), engine)
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    with TestClient(create_app(IndexerSettings(requests_per_client=1_000), engine=engine, status=status)) as client:
        yield client


def every(api: TestClient, **asked: Any) -> list[dict[str, Any]]:
    """All listings, two a page."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = api.get(PATH, params={"limit": 2, **asked} | ({} if cursor is None else {"cursor": cursor})).json()
        found += page["listings"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


@on_both_databases
@pytest.mark.parametrize("order", sampled([*Order, None], every=3))
def test_listings__each_sort__gives_each_once_in_its_order(api: TestClient, order: Order | None) -> None:
    everything = {listing["id"] for listing in every(api)}
    assert len(everything) == 5
    for sort in ListingSort:
        found = every(api, sort=sort.value, **({} if order is None else {"order": order.value}))
        assert len(found) == 5 and {listing["id"] for listing in found} == everything
        told = [FIELD[sort](listing) for listing in found]
        keys = [key for key in told if key is not None]
        assert told[: len(keys)] == keys, "those that take no such order come last"
        assert keys == sorted(keys, reverse=(order or KEYS[sort][1]) is Order.DESC), sort


@pytest.mark.exhaustive
def test_listings__cursor_of_another_order__is_refused_by_name(api: TestClient) -> None:
    cursors = {
        (sort, order): api.get(PATH, params={"limit": 1, "sort": sort, "order": order}).json()["next_cursor"]
        for sort in ListingSort
        for order in Order
    }
    for made, cursor in cursors.items():
        for sort, order in cursors:
            answer = api.get(PATH, params={"limit": 1, "sort": sort, "order": order, "cursor": cursor})
            if (sort, order) == made:
                assert answer.status_code == 200
            else:
                assert (answer.status_code, answer.json()["error"]) == (400, "cursor_of_another_sort")


@pytest.mark.parametrize(
    ("asked", "count"),
    sampled(
        [
            ({}, 5),
            ({"gpu": "nvidia-rtx-4090-24gb"}, 1),
            ({"gpu_count": 2}, 3),
            ({"min_gpu_count": 3}, 1),
            ({"min_vram_gb": 24}, 5),
            ({"min_vram_gb": 25}, 4),
            ({"min_cpu_cores": 33}, 1),
            ({"min_ram_gb": 257}, 1),
            ({"min_disk_gb": 9_000}, 2),
            ({"min_disk_gb": 9_001}, 0),
            ({"min_net_up_mbps": 101}, 4),
            ({"min_net_down_mbps": 2_501}, 1),
            ({"min_cuda": "11.2"}, 5),
            ({"min_cuda": "11.3"}, 4),
            ({"min_cuda": "12.10"}, 1),
            ({"min_price": 1}, 5),
            ({"max_price": 1}, 0),
            ({"spot": "true"}, 4),
            ({"spot": "false"}, 1),
            ({"max_spot_price": 1}, 0),
            ({"max_spot_price": 2_000_000_000}, 4),
            ({"region": "us-east", "spot": "true"}, 1),
            ({"min_score_bps": 0}, 0),
            ({"host": str(HOST)}, 6),
            ({"operator": str(HOST)}, 6),
            ({"operator": "So11111111111111111111111111111111111111112"}, 0),
            ({"host": "So11111111111111111111111111111111111111112"}, 0),
        ],
        every=5,
    ),
)
def test_listings__filter__gives_those_that_fit(api: TestClient, asked: dict[str, Any], count: int) -> None:
    assert len(every(api, **asked)) == count


@pytest.mark.parametrize("query", ["min_cuda=12", "sort=colour", "order=up", "min_vram_gb=-1", "host=me"])
def test_listings__odd_filter__is_refused(api: TestClient, query: str) -> None:
    answer = api.get(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request")
    assert query.partition("=")[0] in answer.json()["detail"] and "pattern" not in answer.json()["detail"]


def test_listings__bounds_of_price__are_what_an_order_pays_in_the_token(api: TestClient) -> None:
    for pay, kind, bound in (({}, "on-demand", "max_price"), ({"pay": str(USDC)}, "spot", "max_spot_price")):
        mint = pay.get("pay", str(GPUM))
        prices = sorted(
            rate["micro_usd_per_hour"]
            for listing in every(api)
            for rate in listing["rates"]
            if (rate["kind"], rate["mint"]) == (kind, mint)
        )
        for most in {prices[0] - 1, *prices}:
            assert len(every(api, **pay, **{bound: most})) == len([price for price in prices if price <= most])


def test_listings__paid_in_no_payment_token__is_refused_by_name(api: TestClient) -> None:
    answer = api.get(f"{PATH}?pay={HOST}")
    assert (answer.status_code, answer.json()["error"]) == (400, "unknown_payment_token")
