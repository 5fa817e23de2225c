"""Anything that a route does not take is refused by name, and every answer says which version it is of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from indexer.api.errors import MEDIA_TYPE
from indexer.api.http.version import HEADER
from indexer.api.main import create_app
from indexer.settings import IndexerSettings

WALLET = "So11111111111111111111111111111111111111112"

SOLANA_ACTIONS = "/api/actions/"
"""Wallets read their refusals in the form that the specification of Actions has."""


@pytest.fixture
def api(sqlite_engine: Engine) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(), engine=sqlite_engine)) as client:
        yield client


def operations(api: TestClient) -> list[tuple[str, str]]:
    """Every method and path, with something for each place."""
    paths = api.get("/openapi.json").json()["paths"]
    filled = {"{renter}": WALLET, "{authority}": WALLET, "{wallet}": WALLET, "{order_hash}": "ab" * 32}
    made = [(method.upper(), path) for path, methods in paths.items() for method in methods]
    for place, value in filled.items():
        made = [(method, path.replace(place, value)) for method, path in made]
    number = "/api/governance/proposals/{id}"
    return [(method, path.replace("{id}", "1" if path == number else WALLET)) for method, path in made]


def test_parameter__unknown__is_refused_on_every_route(api: TestClient) -> None:
    for method, path in [*operations(api), ("GET", "/docs"), ("GET", "/openapi.json")]:
        answer = api.request(method, path, params={"hots": "x"})
        told = answer.json()
        assert (answer.status_code, told["error"]) == (422, "unknown_parameter"), (method, path)
        if path.startswith(SOLANA_ACTIONS):
            assert answer.headers["content-type"] == "application/json" and "'hots'" in told["message"]
            continue
        assert answer.headers["content-type"] == MEDIA_TYPE
        assert told["parameter"] == "hots" and "'hots'" in told["detail"]


def test_parameter__unknown__is_told_with_the_allowed_ones(api: TestClient) -> None:
    told = api.get("/api/marketplace/listings?available=true&hots=x").json()
    assert {"available", "cursor", "gpu", "limit", "max_price", "region"} <= set(told["allowed"])
    assert all(name in told["remedy"] for name in told["allowed"])


def test_parameter__of_each_route__is_one_that_is_described(api: TestClient) -> None:
    described = api.get("/openapi.json").json()["paths"]
    for path in ("/api/jobs", "/api/marketplace/listings", "/api/hosts", "/api/governance/proposals"):
        parameters = {about["name"] for about in described[path]["get"]["parameters"] if about["in"] == "query"}
        assert set(api.get(path, params={"hots": "x"}).json()["allowed"]) == parameters


def test_parameter__twice__is_refused(api: TestClient) -> None:
    told = api.get("/api/jobs", params={"renter": [WALLET, "11111111111111111111111111111111"]}).json()
    assert (told["error"], told["parameter"]) == ("repeated_parameter", "renter")


def test_parameter__unknown_of_an_answer_that_is_kept__is_refused(api: TestClient) -> None:
    assert api.get("/api/gpus").status_code == 200
    assert api.get("/api/gpus?region=eu-west").status_code == 422
    assert api.get("/api/gpus?region=eu-west").status_code == 422


@pytest.mark.parametrize("path", ["/api/gpus", "/api/jobs?limit=0", "/nowhere", "/health", "/docs"])
def test_answer__of_every_kind__says_its_version(api: TestClient, path: str) -> None:
    assert api.get(path).headers[HEADER] == "1"
    assert api.head(path).headers[HEADER] == "1"


def test_answer__of_a_bug__says_its_version(sqlite_engine: Engine) -> None:
    app = create_app(IndexerSettings(), engine=sqlite_engine)

    @app.get("/broken")
    async def broken() -> None:
        raise ZeroDivisionError

    with TestClient(app, raise_server_exceptions=False) as api:
        assert api.get("/broken").headers[HEADER] == "1"


def test_answer__to_a_page_of_another_origin__lets_it_read_the_version(api: TestClient) -> None:
    exposed = api.get("/api/gpus", headers={"Origin": "https://a.example"}).headers["access-control-expose-headers"]
    assert HEADER in exposed.split(", ")
