"""Saved searches: a listing that comes to fit one is told once, to webhooks of its wallet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine, update

from anchor_client.rules.catalog import gpu_slug, region_slug
from indexer.accounts import searches
from indexer.accounts.models import SavedSearch, Webhook
from indexer.accounts.searches import MAX_SEARCHES
from indexer.api.listing_prices import fits
from indexer.api.listing_query import ListingFilters, ListingQuery
from indexer.api.routes.searches import SearchFilters
from indexer.api.webhooks.kinds import Kind
from indexer.api.webhooks.roster import endpoints_of
from indexer.store.database import writing
from indexer.store.pricing import pricing
from indexer.store.queries import heard_since
from tests.indexer.accounts.wallets import bearer, sign_in
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import rows_of
from tests.indexer.webhooks.conftest import Add, Clock
from tests.indexer.webhooks.receiver import Receiver
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST
from tests.program.harness.changes import approve_host, respecify
from tests.program.harness.flows import opened
from tests.program.harness.terms import HOUR

TakeIn = Callable[[], None]
PATH = "/api/searches"
ANY: dict[str, Any] = {"name": "any", "filters": {}}
SENDS = [Kind.SEARCH_FITS]


@pytest.fixture
def save(api: TestClient, headers: dict[str, str]) -> Callable[..., dict[str, Any]]:
    """Saves a search of the wallet's."""

    def saved(name: str = "any", **filters: Any) -> dict[str, Any]:
        answer = api.post(PATH, json={"name": name, "filters": filters}, headers=headers)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    return saved


@on_both_databases
def test_search__saved__is_listed_until_it_is_removed(api: TestClient, headers: dict[str, str]) -> None:
    filters = {"gpu": gpu_slug(1), "max_price": 3_000_000, "min_cuda": "12.4", "spot": False}
    made = api.post(PATH, json={"name": "mine", "filters": filters}, headers=headers).json()
    assert (made["name"], made["filters"]) == ("mine", filters)
    assert api.get(PATH, headers=headers).json() == {"searches": [made]}
    stranger = bearer(sign_in(api, Keypair()))
    assert api.get(PATH, headers=stranger).json() == {"searches": []}
    assert api.delete(f"{PATH}/{made['id']}", headers=stranger).status_code == 404
    assert api.delete(f"{PATH}/{made['id']}", headers=headers).status_code == 204
    assert api.get(PATH, headers=headers).json() == {"searches": []}


def test_search__without_a_credential_that_allows_it__is_refused(api: TestClient, headers: dict[str, str]) -> None:
    assert api.post(PATH, json=ANY).status_code == 401
    for scope, status in (("read", 403), ("webhooks", 201)):
        made = api.post("/api/auth/keys", json={"name": "x", "scopes": [scope]}, headers=headers).json()
        assert api.post(PATH, json=ANY, headers={"X-API-Key": made["secret"]}).status_code == status


def test_search__saved_again__is_the_first(api: TestClient, headers: dict[str, str]) -> None:
    asked = {"name": "mine", "filters": {"gpu": gpu_slug(1), "spot": False}}
    first = api.post(PATH, json=asked, headers=headers).json()
    again = {"name": "again", "filters": {"spot": False, "gpu": gpu_slug(1), "region": None}}
    for _ in range(MAX_SEARCHES):
        assert api.post(PATH, json=again, headers=headers).json() == first
    stranger = bearer(sign_in(api, Keypair()))
    assert api.post(PATH, json=asked, headers=stranger).json()["id"] != first["id"]
    assert api.get(PATH, headers=headers).json() == {"searches": [first]}


def test_searches__one_too_many__is_refused(api: TestClient, headers: dict[str, str]) -> None:
    sizes = [{"name": "any", "filters": {"gpu_count": count + 1}} for count in range(MAX_SEARCHES + 1)]
    answers = [api.post(PATH, json=each, headers=headers) for each in sizes]
    assert [answer.status_code for answer in answers] == [201] * MAX_SEARCHES + [409]
    assert answers[-1].json()["error"] == "too_many_searches"


@pytest.mark.parametrize(
    "more",
    [
        {"filters": {"sort": "price"}},
        {"filters": {"limit": 1}},
        {"filters": {"gpu": "none"}},
        {"name": ""},
        {"url": "x"},
    ],
    ids=str,
)
def test_search__that_is_none__is_refused(api: TestClient, headers: dict[str, str], more: dict[str, Any]) -> None:
    assert api.post(PATH, json=ANY | more, headers=headers).status_code in (400, 422)
    assert api.get(PATH, headers=headers).json() == {"searches": []}


def test_filters__are_those_of_the_list() -> None:
    assert {*ListingQuery.model_fields} - {*SearchFilters.model_fields} == {"sort", "order", "limit", "cursor"}


def test_search__of_another_version__stops_nobody(known: Engine) -> None:
    """The catalog may lose a model that a search names."""
    with writing(known) as connection:
        connection.execute(update(Webhook.table).values(types=Kind.SEARCH_FITS))
        for number, filters in enumerate(('{"gpu":"gone"}', '{"gone":1}', '{"gpu_count":8}', "none")):
            made = SavedSearch(id=str(number), wallet="w", name="n", filters=filters, created_at=0)
            searches.create(connection, made)
    with known.connect() as connection:
        [endpoint] = endpoints_of(connection, rows_of(known, Webhook))
    assert {search.id for search in endpoint.searches} == {"1", "2"}


FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"gpu": gpu_slug(6)},
    {"region": region_slug(2)},
    {"available": True},
    {"available": False},
    {"spot": True},
    {"verified": True},
    {"host": str(HOST)},
    {"gpu_count": 4},
    {"min_vram_gb": 50},
    {"min_cuda": "12.0"},
    {"min_driver": "1"},
    {"min_score_bps": 1},
    {"max_price": 1_000_000},
    {"min_price": 1_000_000},
    {"max_spot_price": 10_000_000},
    {"pay": str(HOST), "max_price": 10**9},
)


def test_fits__each_filter__agrees_with_the_list(
    market: Market, job: Pubkey, api: TestClient, engine: Engine, take_in: TakeIn, status: Clock
) -> None:
    market.list_machine(gpu_model=6, region=2, gpu_count=4, vram_gb=24, on_demand_usd=500_000, spot_min_usd=0)
    market.list_machine(visible=False)
    take_in()
    status.at = market.now
    lengths = set()
    for filters in FILTERS:
        listed = api.get("/api/marketplace/listings", params=filters).json().get("listings", [])
        with engine.connect() as connection:
            terms, asked = pricing(connection, status), ListingFilters.model_validate(filters)
            given = connection, asked, terms, status.now(), heard_since(status)
            found = {str(each) for each in market.listings if fits(*given, str(each))}
        assert found == {each["id"] for each in listed}, filters
        lengths.add(len(found))
    assert lengths == {0, 1, 2, 3}


def test_notices__job_that_ends__tells_of_the_free_machine_once(
    market: Market, job: Pubkey, add: Add, save: Callable[..., Any], receiver: Receiver, take_in: TakeIn, status: Clock
) -> None:
    listing = market.listings[0]
    search = save("h100", gpu=gpu_slug(market.listing(listing).gpu_model))
    save("others", gpu_count=200)
    add(types=SENDS)
    market.act(market.stop_rental(job))
    take_in()
    first = receiver.take(Kind.SEARCH_FITS)
    assert (first.data["search"], first.data["name"], first.data["event"]) == (search["id"], "h100", "RentalClosed")
    assert first.data["link"] == f"/api/marketplace/listings/{listing}"
    assert (first.data["listing"]["id"], first.data["listing"]["status"]) == (str(listing), "available")
    market.pass_time(600)  # heartbeats tell nothing
    other = opened(market, market.renter(), listing=listing)
    market.act(market.stop_rental(other))
    status.at = market.now
    take_in()
    second = receiver.take(Kind.SEARCH_FITS)
    assert second.id != first.id and second.data["slot"] > first.data["slot"]


def test_notices__machine_that_is_shown_or_returns__is_told(
    market: Market, job: Pubkey, add: Add, save: Callable[..., Any], receiver: Receiver, take_in: TakeIn, status: Clock
) -> None:
    def then() -> str:
        status.at = market.now
        take_in()
        taken = receiver.take(Kind.SEARCH_FITS)
        return str(taken.data["event"])

    save("eight", gpu_count=8)
    add(types=SENDS)
    listing = market.list_machine(gpu_count=8)
    assert then() == "HostHeartbeat"
    market.pass_time(HOUR)
    spec: dict[str, Any] = {"gpu_count": 8, "listing": listing}
    market.act(respecify(**spec, visible=False))
    market.act(respecify(**spec, visible=True))
    assert then() == "ListingUpdated"
    market.wait(2 * HOUR)
    market.beat()
    assert then() == "HostHeartbeat"
    market.act(approve_host(approved=False))
    market.act(approve_host(approved=True))
    assert then() == "HostApproved"


def test_notices__machine_changed_often__is_told_once_an_hour(
    market: Market, job: Pubkey, add: Add, save: Callable[..., Any], receiver: Receiver, take_in: TakeIn, status: Clock
) -> None:
    save("eight", gpu_count=8)
    listing = market.list_machine(gpu_count=8)
    market.wait(HOUR - market.now % HOUR)
    market.beat()
    status.at = market.now
    take_in()
    add(types=SENDS)
    for price in (2_800_000, 2_900_000, 3_000_000):
        market.act(respecify(listing=listing, gpu_count=8, on_demand_usd=price))
    take_in()
    assert receiver.take(Kind.SEARCH_FITS).data["event"] == "ListingUpdated"
    market.wait(HOUR)
    market.beat()
    market.act(respecify(listing=listing, gpu_count=8, on_demand_usd=3_100_000))
    status.at = market.now
    take_in()
    told = receiver.take(Kind.SEARCH_FITS).data["listing"]
    assert told["market_rate"]["micro_usd_per_hour"] == 3_100_000


def test_notices__search_removed__are_no_more(
    market: Market,
    job: Pubkey,
    api: TestClient,
    headers: dict[str, str],
    add: Add,
    save: Callable[..., Any],
    receiver: Receiver,
    take_in: TakeIn,
) -> None:
    add(types=[Kind.SEARCH_FITS, Kind.JOB_ENDED], topics=[f"job:{job}"])
    gone = save("gone")
    assert api.delete(f"{PATH}/{gone['id']}", headers=headers).status_code == 204
    market.act(market.stop_rental(job))
    take_in()
    receiver.take(Kind.JOB_ENDED)


def test_notices__endpoint_without_the_type__gets_none(
    market: Market, job: Pubkey, add: Add, save: Callable[..., Any], receiver: Receiver, take_in: TakeIn
) -> None:
    save()
    add(types=[Kind.JOB_ENDED], topics=[f"job:{job}"])
    market.act(market.stop_rental(job))
    take_in()
    receiver.take(Kind.JOB_ENDED)
