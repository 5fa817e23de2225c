"""Invalid requests to the API: a named problem each, and never a 500."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from indexer.api.errors import MEDIA_TYPE, Problem
from indexer.api.main import create_app
from indexer.settings import IndexerSettings
from tests.indexer.databases import on_both_databases, sqlite
from tests.sweeps import sampled

WALLET = "So11111111111111111111111111111111111111112"
PAGED = (
    "/api/jobs",
    "/api/marketplace/listings",
    "/api/hosts",
    "/api/requests",
    "/api/governance/proposals",
    "/api/governance/votes",
    "/api/bids",
    "/api/burns",
    "/api/fees",
    "/api/payouts",
    "/api/prices",
    "/api/rewards/epochs",
)


@pytest.fixture
def app(engine: Engine) -> FastAPI:
    return create_app(IndexerSettings(), engine=engine)


@pytest.fixture
def api(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def crafted() -> list[str]:
    """Cursors of no page, some of another form."""
    numbers = [2**63, -(2**63) - 1, 10**40, 0.5, True, None]
    listed = [[number, WALLET] for number in numbers] + [[0, "\ud800"], [0, "\0"], [0, ""], [0], {"0": 1}]
    texts = [*map(json.dumps, listed), "[" * 90, "[" * 20_000, "NaN"]
    plain = [f"{number}.{WALLET}" for number in (2**63, -(2**63), "", "+1", "0x1", "\u0661", "1e9")]
    return [
        *(base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") for text in texts),
        *(*plain, f"0.{WALLET}.{WALLET}", "0.", f"0.{'1' * 45}", "0.é", "0.\0", "é", "=", "A" * 20_000, ""),
    ]


@on_both_databases
@pytest.mark.parametrize("path", sampled(PAGED, every=4))
def test_cursor__crafted__is_refused_by_name(api: TestClient, path: str) -> None:
    for each in crafted():
        answer = api.get(path, params={"cursor": each})
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid_request"), each


@on_both_databases
@pytest.mark.parametrize("path", sampled(PAGED, every=4))
def test_cursor__of_the_form__is_a_page(api: TestClient, path: str) -> None:
    for number in (10**18 - 1, -(10**18) + 1, 0):
        for address in ("1", WALLET, "z" * 44):
            assert api.get(path, params={"cursor": f"{number}.{address}"}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/jobs?limit=0", 422),
        ("GET", f"/api/jobs/{'z' * 44}", 404),
        ("GET", f"/api/jobs/{WALLET}", 404),
        ("GET", "/nowhere", 404),
        ("PUT", "/api/jobs", 405),
        ("POST", "/api/jobs", 422),
    ],
)
def test_refusal__of_every_kind__is_a_problem_of_one_form(api: TestClient, method: str, path: str, status: int) -> None:
    answer = api.request(method, path)
    assert answer.status_code == status and answer.headers["content-type"] == MEDIA_TYPE
    told = Problem.model_validate(answer.json())
    assert answer.json().keys() == Problem.model_fields.keys()
    assert told.status == status and told.title and told.detail and told.error and told.remedy


@pytest.mark.parametrize("body", ["[" * 20_000, '{"gpu": "\\ud800"}', "nonsense", "\x00", '{"duration": 1e999}'])
def test_order__body_that_is_none__is_refused(api: TestClient, body: str) -> None:
    answer = api.post("/api/jobs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422) and answer.headers["content-type"] == MEDIA_TYPE


def test_bug__in_a_route__is_a_problem_that_tells_nothing(app: FastAPI, api: TestClient) -> None:
    def broken(connection: Connection) -> None:
        raise ZeroDivisionError("secret")

    @app.get("/broken")
    async def route() -> None:
        await app.state.reads(broken)

    answer = api.get("/broken")
    assert (answer.status_code, answer.headers["content-type"]) == (500, MEDIA_TYPE)
    assert answer.json()["error"] == "internal_error" and "secret" not in answer.text


@pytest.mark.parametrize("error", [OperationalError("SELECT 1", {}, OSError("disk I/O error")), None], ids=str)
def test_database__that_fails__is_unavailable_for_a_while(
    app: FastAPI, api: TestClient, engine: Engine, error: Exception | None
) -> None:
    async def failing(*arguments: Any) -> None:
        raise error

    missing = nullcontext() if error else without_table(engine, "rental")
    if error:
        app.state.reads = failing
    with missing:
        answer = api.get("/api/jobs")
    assert (answer.status_code, answer.json()["error"]) == (503, "database_unavailable")
    assert int(answer.headers["retry-after"]) > 0 and "SELECT" not in answer.text


@contextmanager
def without_table(engine: Engine, table: str) -> Iterator[None]:
    """A database that lacks a table for a while; the next test has it again."""
    with engine.begin() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO gone")
    try:
        yield
    finally:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"ALTER TABLE gone RENAME TO {table}")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/jobs", "GET, HEAD, POST"),
        ("PATCH", f"/api/jobs/{WALLET}", "GET, HEAD"),
        ("POST", f"/api/sealed-orders/{WALLET}/{'ab' * 32}", "GET, HEAD, PUT"),
        ("GET", f"/api/jobs/{WALLET}/charges/accept", "POST"),
        ("POST", "/health", "GET, HEAD"),
        ("GET", "/api/hosts/operator", "POST"),
        ("OPTIONS", "/api/hosts/operator", "POST"),
        ("POST", "/docs", "GET, HEAD"),
        ("HEAD", f"/api/jobs/{WALLET}/charges/accept", "POST"),
        ("OPTIONS", "/api/gpus", "GET, HEAD"),
    ],
)
def test_method__that_a_path_does_not_take__is_told_which_it_does(
    api: TestClient, method: str, path: str, allowed: str
) -> None:
    answer = api.request(method, path)
    assert (answer.status_code, answer.headers.get("allow")) == (405, allowed)


@pytest.mark.parametrize("path", ["/api/jobs", "/api/gpus", f"/api/jobs/{WALLET}", "/health", "/docs"])
def test_head__of_every_route_with_get__is_its_answer_without_the_body(api: TestClient, path: str) -> None:
    got, head = api.get(path), api.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert head.headers["content-type"] == got.headers["content-type"]


@pytest.mark.parametrize("path", ["/api/gpus", "/api/nonsense", "/openapi.json", "/docs", "/health", "/"])
def test_answer__of_any_kind__is_neither_guessed_at_nor_framed(api: TestClient, path: str) -> None:
    headers = api.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_docs__page__names_every_route_and_loads_nothing(app: FastAPI, api: TestClient) -> None:
    answer = api.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not re.search(r"<script|<link|<img|src=|url\(|href=.?https?:", answer.text)
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}<" in answer.text
    assert api.get("/redoc").status_code == 404


def test_documentation__refusals__are_described_as_they_are_sent(tmp_path: Path) -> None:
    with sqlite(tmp_path / "index.db") as engine:
        described = create_app(IndexerSettings(), engine=engine).openapi()
    answers = described["paths"]["/api/jobs"]["post"]["responses"]
    assert {status for status, answer in answers.items() if MEDIA_TYPE in answer["content"]} >= {"400", "404", "409"}
