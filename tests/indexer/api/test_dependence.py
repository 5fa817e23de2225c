"""Declarations of what kept answers depend on, against the tables that each really reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, Table, event
from sqlalchemy.sql.visitors import iterate

from indexer.api.kept.dependence import JobDependence, declared, kept
from indexer.api.main import create_app
from indexer.api.routes import ROUTERS
from indexer.changes.words import CONCERN_JOBS, FIXED
from indexer.index.ingest import ingest
from indexer.models import Host, Rental
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.markets.recorded import Market
from tests.program.harness.flows import running

KEPT = dict(declared(route for router in ROUTERS for route in router.routes))


@contextmanager
def recorded(engine: Engine) -> Iterator[set[str]]:
    """Tables in the statements that are executed."""
    tables: set[str] = set()

    def executing(_: object, statement: Any, *__: object) -> None:
        tables.update(part.name for part in iterate(statement) if isinstance(part, Table))

    event.listen(engine, "before_execute", executing)
    try:
        yield tables
    finally:
        event.remove(engine, "before_execute", executing)


@pytest.mark.parametrize("path", KEPT)
def test_kept_answer__declares_exactly_the_tables_that_it_reads(market: Market, engine: Engine, path: str) -> None:
    rental = running(market, market.renter())
    ingest(market.transactions(), engine)
    status, clock = Status(), market.node.clock
    status.saw_head(clock.slot, clock.unix_timestamp, market.market())
    asked = path.replace("{id}", str(rental if path.startswith("/api/jobs") else market.listings[0]))
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as api, recorded(engine) as tables:
        api.get("/api/health")
        tables.clear()
        assert api.get(asked).status_code == 200
    assert tables - BESIDE == KEPT[path].tables


BESIDE = {"change", "intake", "saved_search", "webhook", "webhook_change"}
"""Tables that the application reads on its own."""


def test_kept__answers_that_are_read_most__are_kept() -> None:
    assert {"/api/gpus", "/api/network", "/api/jobs", "/api/jobs/{id}", "/api/marketplace/listings"} <= KEPT.keys()


def test_kept__table_that_says_nothing_of_jobs__is_refused() -> None:
    with pytest.raises(TypeError, match="which jobs a change of Host concerns"):
        kept(Rental, Host, jobs=JobDependence.ONE)


@pytest.mark.parametrize("kind", [kind for kind in CONCERN_JOBS if "rental" in kind.model_fields], ids=str)
def test_changes__row_of_a_rental__concerns_its_job(kind: Any) -> None:
    assert kind not in FIXED
    assert [*CONCERN_JOBS[kind](None, kind.model_construct(rental="a rental"))] == ["a rental"]
