"""Web pages that a browser on the same computer shows, and the cluster that they find there."""

from __future__ import annotations

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from localnet.server import LocalCluster
from tests.processes.patience import PATIENCE

OWN = "http://localhost:8000"
LOCAL = "http://localhost:9999"
STRANGERS = ("https://page.example", LOCAL, "http://localhost.page.example:8000", "null", "http://[")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "getVersion"}
ASKED = {"Access-Control-Request-Method": "POST"}


async def post(local: LocalCluster, origin: str, method: str = "getVersion") -> httpx.Response:
    async with httpx.AsyncClient(timeout=PATIENCE) as page:
        return await page.post(local.http_url, json=CALL | {"method": method}, headers={"Origin": origin})


async def test_cluster_of_pages__page_of_a_stranger__is_refused_everything() -> None:
    async with LocalCluster(pages=[OWN]) as local, httpx.AsyncClient(timeout=PATIENCE) as page:
        for origin in STRANGERS:
            assert (await post(local, origin)).status_code == 403
            asked = await page.options(local.http_url, headers={"Origin": origin} | ASKED)
            assert asked.status_code == 403 and "access-control-allow-origin" not in asked.headers
            for url in (local.ws_url, local.ws_url.replace(str(local.port + 1), str(local.port))):
                with pytest.raises(InvalidStatus):
                    await connect(url, origin=origin)  # type: ignore[arg-type]


@pytest.mark.parametrize("origin", [OWN, "chrome-extension://wallet"])
async def test_cluster_of_pages__own_page_or_wallet__is_answered_as_a_validator_does(origin: str) -> None:
    async with LocalCluster(pages=[OWN]) as local, httpx.AsyncClient(timeout=PATIENCE) as page:
        answer = await post(local, origin)
        assert "result" in answer.json() and answer.headers["access-control-allow-origin"] == origin
        asked = await page.options(local.http_url, headers={"Origin": origin} | ASKED)
        assert asked.headers["access-control-allow-origin"] == origin
        async with connect(local.ws_url, origin=origin):  # type: ignore[arg-type]
            pass
        refused = await post(local, origin, "cheat_warp")
        assert refused.json()["error"]["message"] == "cheat_warp is not for web pages"


async def test_cluster__any_page__reads_and_only_those_of_this_computer_send() -> None:
    async with LocalCluster() as local:
        for origin in STRANGERS:
            assert "result" in (await post(local, origin)).json()
            sent = (await post(local, origin, "sendTransaction")).json()["error"]["message"]
            assert ("other computers" in sent) == (origin != LOCAL)
