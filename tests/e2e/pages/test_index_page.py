"""docs/index-and-api.md's walkthrough: an API that is read and an index beside it, of a market whose past is short."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.e2e.console import Console
from tests.e2e.pages.page_reader import healthy
from tests.e2e.pages.walk import walking
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

GPU = "nvidia-h100-pcie-80gb"


@pytest.mark.exhaustive
async def test_index_page__walkthrough__reads_the_api_and_keeps_an_index(
    start_up: Callable[..., UpProcess], tmp_path: Path
) -> None:
    up = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market")
    port = str(free_ports())
    own = f"http://127.0.0.1:{port}"
    async with walking("docs/index-and-api.md", "Try it", up, tmp_path / "engineer") as engineer:
        engineer.places |= {"8001": port, "http://127.0.0.1:8001": own}
        listings = json.loads(await engineer.types("curl"))["listings"]
        assert listings and {(one["gpu"], one["available"]) for one in listings} == {(GPU, True)}
        await engineer.types("sign-in")
        key = (await engineer.types("api-key create")).split()[0]
        engineer.places["X-API-Key: KEY"] = f"X-API-Key: {key}"
        me = json.loads(await engineer.types("curl"))
        assert me["wallet"] == up.console.json("wallet", "show")["address"] and me["scopes"] == ["read"]
        await engineer.types("indexer run")
        await healthy(own)
        assert json.loads(await engineer.types("curl"))["status"]
        network = json.loads(await engineer.types("curl"))
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            theirs = (await client.get(f"{up.ready['api_url']}/api/network")).json()
        assert network["nodes"] == theirs["nodes"] > 0
        await engineer.types("indexer verify")
        assert (
            up.console.json("indexer", "verify", "--database", f"sqlite:///{tmp_path}/engineer/mine.db")["agrees"]
            is True
        )
        await engineer.types("indexer gaps")
