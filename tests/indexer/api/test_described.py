"""The API answers as its description says, whatever it is asked, and other routes find what its lists name."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from schemathesis import openapi
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.orders import SealedOrder
from anchor_client.solana.wallet import Wallet
from indexer.api.openapi import LINKS
from localnet.server import LocalCluster
from tests.indexer.accounts.wallets import sign_in
from tests.indexer.api.test_sealed_orders import posted
from tests.indexer.busy import busy
from tests.indexer.service import indexed, metrics_of, until
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE
from tests.program.harness.charges import metered
from tests.program.harness.keys import keypair_of
from tests.program.harness.world import ORDER_HASH

SCHEMATHESIS = Path(sys.executable).parent / "st"
EXAMPLES = 3
SECONDS = 900
ENDLESS = "/api/feed"
"""Its answer does not end."""
SIGNING_OUT = "/api/auth/sign-out"
"""Ends the run's own credential."""
LISTS = dict.fromkeys(linked.listed for linked in LINKS)
UNLIMITED = {
    "requests_per_client": 1e6,
    "requests_per_wallet": 1e6,
    "node_requests": 1e6,
    "node_requests_per_client": 1e6,
    "sign_ins_per_client": 1e6,
}
CONFIG = """
[checks.positive_data_acceptance]
# What has the form may still be refused: by the market's rules with 400, never with 422.
expected-statuses = ["2xx", 304, 400, 401, 403, 404, 409, 429]

# The links of lists lead to what there is, and each has to be come by.
[phases.stateful.generation]
max-examples = 400
"""
COUNTED = re.compile(r'gpu_market_api_request_seconds_count\{route="([^"]+)",status="2\d\d"\}')


@pytest.mark.exhaustive
async def test_api__asked_all_that_its_description_allows__answers_as_it_says(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", webhook_private=True, **UNLIMITED) as api:
        busy(live)
        live.beat()
        renter = live.renter()
        metered(live, renter, live.list_machine())

        async def is_told() -> bool:
            jobs = (await api.get("/api/jobs", params={"renter": str(renter), "status": "running"})).json()["jobs"]
            return bool(jobs) and (await api.get(f"/api/jobs/{jobs[0]['id']}/charges")).status_code == 200

        await until(is_told, seconds=60)
        await _hand_over(api, renter)
        credential = await _notified(api)
        described = (await api.get("/openapi.json")).json()
        await _follow(api, described, credential)
        (tmp_path / "schemathesis.toml").write_text(CONFIG)
        asking = await asyncio.create_subprocess_exec(
            *(SCHEMATHESIS, "run", f"{api.base_url}/openapi.json", "--max-examples", str(EXAMPLES)),
            *("--phases", "examples,coverage,fuzzing,stateful", "--generation-deterministic", "--no-color"),
            *("--exclude-path-regex", f"^({ENDLESS}|{SIGNING_OUT})$", "--header", f"Authorization: {credential}"),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(SECONDS):
            said, _ = await asking.communicate()
        answered = set(COUNTED.findall(await metrics_of(api)))
    assert asking.returncode == 0, said.decode()
    items = {path for path, methods in described["paths"].items() if "{" in path and "get" in methods}
    assert not items - answered, f"never answered: {sorted(items - answered)}"


async def _hand_over(api: httpx.AsyncClient, renter: Pubkey) -> None:
    """A renter hands over the order of the rental that they have."""
    order = SealedOrder.signed(Wallet(keypair_of(renter)), ORDER_HASH, b"sealed")
    answer = await api.put(f"/api/sealed-orders/{renter}/{ORDER_HASH.hex()}", json=posted(order))
    assert answer.status_code == 200, answer.text


async def _notified(api: httpx.AsyncClient) -> str:
    """The credential of a wallet with a webhook, which has been tried."""
    with httpx.Client(base_url=api.base_url, timeout=PATIENCE) as signing:
        credential = (await asyncio.to_thread(sign_in, signing, Keypair()))["access_token"]
    mine = {"Authorization": f"Bearer {credential}"}
    made = await api.post("/api/webhooks", json={"url": str(api.base_url)}, headers=mine)
    tried = await api.post(f"/api/webhooks/{made.json()['id']}/test", headers=mine)
    assert tried.status_code == 202, tried.text
    return mine["Authorization"]


async def _follow(api: httpx.AsyncClient, described: dict[str, Any], credential: str) -> None:
    """Asks for everything that the lists' first rows name, and checks what comes against the description."""
    schema = openapi.from_dict(described)
    reading = {methods["get"]["operationId"]: path for path, methods in described["paths"].items() if "get" in methods}
    named: dict[str, dict[str, Any]] = {}
    for listed in sorted(LISTS, key=lambda path: path.count("{")):
        above = named.get(listed, {})
        rows = await api.get(listed.format_map(above), headers={"Authorization": credential})
        for link in described["paths"][listed]["get"]["responses"]["200"]["links"].values():
            path = reading.get(link["operationId"])
            if path is None:
                continue
            names = {name: _found(where, rows.json(), above) for name, where in link["parameters"].items()}
            answer = await api.get(path.format_map(names), headers={"Authorization": credential})
            assert answer.status_code == 200, f"{path} with {names}: {answer.text}"
            schema[path]["GET"].validate_response(answer)
            named[path] = names


def _found(where: str, answer: Any, above: dict[str, Any]) -> Any:
    """Value that a link's expression stands for."""
    source, _, place = where.partition("#/")
    if source != "$response.body":
        return above[source.removeprefix("$request.path.")]
    for step in place.split("/"):
        answer = answer[int(step) if isinstance(answer, list) else step]
    return answer
