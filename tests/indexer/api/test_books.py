"""Lists of what has happened on the market: bids, payouts, prices, burns, fees, epochs and votes, and single ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.api.openapi import LINKS
from indexer.index.ingest import ingest
from indexer.models import EpochReward, FeeSweep, Price, Rental, Settlement, SpotBid, Vault, Vote
from indexer.settings import IndexerSettings
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market
from tests.sweeps import sampled


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    busy(market)
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


def every(api: TestClient, path: str, **asked: Any) -> list[dict[str, Any]]:
    """All of a list, two a page."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        given = {"limit": 2, **asked} | ({} if cursor is None else {"cursor": cursor})
        page: dict[str, Any] = api.get(path, params=given).raise_for_status().json()
        cursor = page.pop("next_cursor")
        [rows] = page.values()
        found += rows
        if cursor is None:
            return found


@on_both_databases
def test_lists__of_a_busy_market__give_each_row_once(api: TestClient, engine: Engine) -> None:
    payouts = every(api, "/api/payouts")
    assert len(payouts) == len(rows_of(engine, Settlement)) > 2
    assert {(row["job"], row["seq"]) for row in payouts} == {
        (row.rental, row.seq) for row in rows_of(engine, Settlement)
    }
    assert [row["ts"] for row in payouts] == sorted((row["ts"] for row in payouts), reverse=True)
    burned = sum(vault.total_burned for vault in rows_of(engine, Vault))
    burns = every(api, "/api/burns")
    assert sum(int(row["amount"]) for row in burns) == burned > 0
    sources = len([row for row in rows_of(engine, Rental) if row.burned]) + len(
        [row for row in rows_of(engine, FeeSweep) if row.burned]
    )
    assert len({(row["source"], row["seq"]) for row in burns}) == len(burns) == sources
    for path, model in {
        "/api/bids": SpotBid,
        "/api/prices": Price,
        "/api/fees": FeeSweep,
        "/api/rewards/epochs": EpochReward,
        "/api/governance/votes": Vote,
    }.items():
        found = every(api, path)
        assert len({str(row) for row in found}) == len(found) == len(rows_of(engine, model)), path


LISTS = {linked.listed for linked in LINKS if not linked.listed.startswith("/api/webhooks")}
"""Lists that anyone may read."""


def linked(description: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Lists, the paths below them that their links lead to, and where the parameters of these are."""
    gets = {methods["get"]["operationId"]: path for path, methods in description["paths"].items() if "get" in methods}
    for path in sorted(LISTS):
        links = description["paths"][path]["get"]["responses"].get("200", {}).get("links", {})
        for link in links.values():
            if (below := gets.get(link["operationId"], "")).startswith(f"{path}/"):
                yield path, below, link["parameters"]


def test_links__of_every_list__lead_to_what_its_rows_name(api: TestClient) -> None:
    followed = 0
    for path, template, parameters in linked(api.get("/openapi.json").json()):
        page = api.get(path).raise_for_status().json()
        fields = {
            name: expression.removeprefix("$response.body#/").split("/") for name, expression in parameters.items()
        }
        [listed] = {rows for rows, _, _ in fields.values()}
        named = [{name: row[field] for name, (_, _, field) in fields.items()} for row in page[listed]]
        # Not every job has a meter.
        assert any(api.get(template.format(**each)).status_code == 200 for each in named), template
        followed += 1
    assert followed >= len(LISTS)


def test_lists__filtered__give_only_those(api: TestClient, engine: Engine) -> None:
    payout = every(api, "/api/payouts")[0]
    for name in ("job", "host", "mint"):
        found = every(api, "/api/payouts", **{name: payout[name]})
        assert payout in found and {row[name] for row in found} == {payout[name]}
    bid = every(api, "/api/bids")[0]
    assert {row["renter"] for row in every(api, "/api/bids", renter=bid["renter"])} == {bid["renter"]}
    assert every(api, "/api/bids", outcome="nothing") == []
    job = every(api, "/api/jobs")[0]
    assert {row["listing"] for row in every(api, "/api/jobs", listing=job["listing"])} == {job["listing"]}
    assert every(api, "/api/jobs", gpu="nvidia-rtx-4090-24gb") == []


def test_single_ones__are_as_in_the_lists(api: TestClient) -> None:
    payout = every(api, "/api/payouts")[0]
    assert api.get(f"/api/payouts/{payout['job']}/{payout['seq']}").json() == payout
    price = every(api, "/api/prices")[0]
    assert api.get(f"/api/prices/{price['mint']}/{price['seq']}").json() == price
    fee = every(api, "/api/fees")[0]
    assert api.get(f"/api/fees/{fee['vault']}/{fee['seq']}").json() == fee
    bid = every(api, "/api/bids")[0]
    assert api.get(f"/api/bids/{bid['job']}").json() == bid
    burn = every(api, "/api/burns")[0]
    assert burn in api.get(f"/api/burns/{burn['source']}").json()["burns"]
    for vote in every(api, "/api/governance/votes"):
        assert api.get(f"/api/governance/votes/{vote['proposal']}/{vote['voter']}").json() == vote
    for epoch in every(api, "/api/rewards/epochs"):
        assert epoch in api.get(f"/api/rewards/epochs/{epoch['epoch']}").json()["epochs"]
    for stake in every(api, "/api/rewards/stakes"):
        assert api.get(f"/api/rewards/stakes/{stake['owner']}").json()["id"] == stake["id"]


def test_treasury__is_what_the_fees_gave_it(api: TestClient) -> None:
    answer = api.get("/api/treasury").json()
    for mint in answer["mints"]:
        given = sum(int(fee["treasury"]) for fee in every(api, "/api/fees", mint=mint["mint"]))
        assert int(mint["paid"]) == given


@pytest.mark.parametrize(
    "path",
    sampled(
        ["bids/{}", "payouts/{}/1", "prices/{}/1", "fees/{}/1", "burns/{}", "rewards/stakes/{}", "rewards/epochs/9"],
        every=4,
    ),
)
def test_single_ones__unknown__are_not_found(api: TestClient, path: str) -> None:
    answer = api.get(f"/api/{path.format('So11111111111111111111111111111111111111112')}")
    assert answer.status_code == 404 and answer.json()["error"].endswith("_not_found")
