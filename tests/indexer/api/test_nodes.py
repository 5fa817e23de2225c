"""The public feed of what can be rented now, and what aggregators make of it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fastapi.testclient import TestClient
from gpuhunt import Catalog, CatalogItem
from gpuhunt._internal import catalog as gpuhunt_catalog
from sqlalchemy import Engine

from indexer.api.main import create_app
from indexer.api.routes import nodes
from indexer.api.routes.nodes import NodeFeed
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.service import api_alone
from tests.markets.recorded import Market
from tests.program.harness.flows import running

PATH = "/api/public/v1/nodes"
FROZEN = Path(__file__).with_name("nodes.v1.json")
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "gpuhunt_provider.py"


@pytest.fixture
def listed(market: Market, engine: Engine) -> Market:
    """Two machines that are free, one of which takes spot orders; a rented one and a hidden one."""
    market.list_machine(gpu_model=6, gpu_count=1, vram_gb=24, region=1, on_demand_usd=190_000, spot_min_usd=0)
    running(market, market.renter(), listing=market.list_machine())
    market.list_machine(visible=False)
    ingest(market.transactions(), engine)
    return market


@pytest.fixture
def api(listed: Market, engine: Engine) -> Iterator[TestClient]:
    with TestClient(create_app(IndexerSettings(), engine=engine)) as client:
        yield client


def test_nodes__form_of_version_1__only_gains_fields() -> None:
    """A change that fails here is a new version: readers of this one go by the frozen schema."""
    frozen: dict[str, Any] = json.loads(FROZEN.read_text())
    schema = NodeFeed.model_json_schema(mode="serialization")
    told, node = frozen["$defs"].pop("Node"), schema["$defs"].pop("Node")
    assert frozen == schema
    assert {name: node["properties"].get(name) for name in told["properties"]} == told["properties"]
    assert set(told["required"]) <= set(node["required"])


def test_nodes__are_what_an_order_can_take__cheapest_first(api: TestClient, listed: Market) -> None:
    feed = api.get(PATH).json()
    first = str(listed.listings[0])
    assert [(node["id"] == first, node["spot"], node["price"]) for node in feed["nodes"]] == [
        (False, False, "0.190000"),
        (True, True, "1.900000"),
        (True, False, "7.380001"),
    ]
    assert [node["gpu_name"] for node in feed["nodes"]] == ["RTX4090", "H100", "H100"]


def test_nodes__asked_again__are_kept_until_they_are_old(
    api: TestClient, listed: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = api.get(PATH)
    assert answer.headers["cache-control"] == "public, max-age=10"
    same = api.get(PATH, headers={"If-None-Match": answer.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    running(listed, listed.renter(), listing=listed.listings[0])
    ingest(listed.transactions(), engine)
    assert api.get(PATH).content == answer.content
    monkeypatch.setattr(nodes, "MAX_AGE", 0)
    assert len(api.get(PATH).json()["nodes"]) == 1


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_nodes__in_pages__are_the_same(api: TestClient, limit: int) -> None:
    whole = api.get(PATH).json()
    found, cursor = [], None
    while True:
        page = api.get(PATH, params={"limit": limit} | ({"cursor": cursor} if cursor else {})).json()
        assert len(page["nodes"]) <= limit
        found += page["nodes"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == whole["nodes"] != [] and whole["next_cursor"] is None
    assert api.get(PATH, params={"limit": nodes.LARGEST_PAGE + 1}).status_code == 422


async def test_nodes__asked_by_many_at_once__are_made_once() -> None:
    """Invariant IDX-12."""
    made = 0

    async def read(*_: object) -> nodes.NodeSnapshot:
        nonlocal made
        made += 1
        await asyncio.sleep(0)
        return nodes.NodeSnapshot(math.inf, [])

    maker = nodes.NodeMaker()
    found = await asyncio.gather(*(maker.newest(read, Status()) for _ in range(50)))  # type: ignore[arg-type]
    assert made == 1 and len({id(each) for each in found}) == 1


async def test_nodes__made_for_longer_than_they_are_kept__are_made_once_for_all_who_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Invariant IDX-12."""
    monkeypatch.setattr(nodes, "MAX_AGE", 0)
    made, go_on = 0, asyncio.Event()

    async def read(*_: object) -> nodes.NodeSnapshot:
        nonlocal made
        made += 1
        await go_on.wait()
        return nodes.NodeSnapshot(-math.inf, [])

    maker = nodes.NodeMaker()
    asking = [asyncio.create_task(maker.newest(read, Status())) for _ in range(20)]  # type: ignore[arg-type]
    await asyncio.sleep(0)
    asking.pop().cancel()
    go_on.set()
    found = await asyncio.gather(*asking)
    assert made == 1 and len({id(each) for each in found}) == 1
    await maker.newest(read, Status())  # type: ignore[arg-type]
    assert made == 2


async def test_nodes__that_could_not_be_made__are_made_for_the_next() -> None:
    async def fail(*_: object) -> nodes.NodeSnapshot:
        raise RuntimeError("database")

    async def read(*_: object) -> nodes.NodeSnapshot:
        return nodes.NodeSnapshot(math.inf, [])

    maker = nodes.NodeMaker()
    with pytest.raises(RuntimeError, match="database"):
        await maker.newest(fail, Status())  # type: ignore[arg-type]
    assert (await maker.newest(read, Status())).texts == []  # type: ignore[arg-type]


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gpuhunt_provider", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def test_gpuhunt__with_the_example__finds_what_can_be_rented(
    listed: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpuhunt_catalog, "ONLINE_PROVIDERS", ["gpumarket"])
    async with api_alone(engine) as url:
        monkeypatch.setenv("GPU_MARKET_URL", url)
        catalog = Catalog(auto_reload=False)
        catalog.add_provider(example().GpuMarketProvider.from_env())

        async def query(**asked: Any) -> list[CatalogItem]:
            return await asyncio.to_thread(catalog.query, provider="gpumarket", **asked)

        assert [item.price for item in await query()] == [0.19, 1.9, 7.380001]
        [spot] = await query(gpu_name="H100", spot=True, min_gpu_memory=80)
        assert (spot.instance_name, spot.location, spot.gpu_count) == (str(listed.listings[0]), "eu-west", 2)
        assert await query(gpu_name="H200") == []
