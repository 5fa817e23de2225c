"""Filters of listings that only the market's API can answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from market_cli.main import main
from tests.markets.marketplace import Marketplace


class Api:
    """Answers the list of listings, two to a page, with what it is told; keeps what it is asked for."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.asked: list[dict[str, list[str]]] = []

    def answer(self, path: str) -> dict[str, Any]:
        query = parse_qs(urlsplit(path).query)
        self.asked.append(query)
        start = int(query.get("cursor", ["0"])[0])
        following = str(start + 2) if start + 2 < len(self.rows) else None
        return {"listings": self.rows[start : start + 2], "next_cursor": following}


@pytest.fixture
def api(marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """An API of the market's, which the command line is configured with."""
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(api.answer(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
        monkeypatch.setenv("GPU_MARKET_API_URL", f"http://127.0.0.1:{server.server_port}")
        yield api
        server.shutdown()
        thread.join()


async def run(marketplace: Marketplace, capfd: pytest.CaptureFixture[str], *command: str) -> list[dict[str, Any]]:
    """What a command prints as JSON."""
    code = await asyncio.to_thread(main, ["--json", "--rpc", marketplace.cluster.rpc_url, *command])
    printed = capfd.readouterr()
    assert code == 0, printed
    found: list[dict[str, Any]] = json.loads(printed.out)
    return found


async def test_listings__verified__are_those_that_the_api_names(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    machines = await marketplace.add_machines(4)
    api.rows = [{"id": str(each), "verified": True, "issues_reported": 7} for each in machines[:3]]
    found = await run(marketplace, capfd, "listings", "--verified")
    assert {each["id"] for each in found} == {str(each) for each in machines[:3]}
    assert {(each["verified"], each["issues_reported"]) for each in found} == {(True, 7)}
    assert [query["verified"] for query in api.asked] == [["true"], ["true"]]
    everything = await run(marketplace, capfd, "listings")
    assert len(everything) > 3 and {each["verified"] for each in everything} == {None} and len(api.asked) == 2


async def test_gpus__verified__count_those_that_the_api_names(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    machines = await marketplace.add_machines(2)
    api.rows = [{"id": str(machines[0]), "verified": True, "issues_reported": 0}]
    assert sum(gpu["listed"] for gpu in await run(marketplace, capfd, "gpus", "--verified")) == 1
    assert sum(gpu["listed"] for gpu in await run(marketplace, capfd, "gpus")) > 1
