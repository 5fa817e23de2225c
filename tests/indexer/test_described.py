"""The API answers as its description says, whatever it is asked, and other routes find what its lists name."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from localnet.server import LocalCluster
from tests.indexer.busy import busy
from tests.indexer.service import indexed, metrics_of, until
from tests.markets.recorded import Market

SCHEMATHESIS = Path(sys.executable).parent / "st"
EXAMPLES = 3
SECONDS = 900
ENDLESS = "/api/feed"
"""Its answer does not end."""
UNLIMITED = dict.fromkeys(
    ("requests_per_client", "node_requests", "node_requests_per_client", "sign_ins_per_client"), 1e6
)
CONFIG = """
[checks.positive_data_acceptance]
# What has the form may still be refused: by the market's rules with 400, never with 422.
expected-statuses = ["2xx", 304, 400, 401, 403, 404, 409, 429]

# The links of lists lead to what there is, and each has to be come by.
[phases.stateful.generation]
max-examples = 400
"""
LEAST_SHARE = 2 / 3
"""Of the routes of single things, those that must have been asked for one that there is."""
COUNTED = re.compile(r'gpu_market_api_request_seconds_count\{route="([^"]+)",status="2\d\d"\}')


@pytest.mark.exhaustive
async def test_api__asked_all_that_its_description_allows__answers_as_it_says(
    local: LocalCluster, live: Market, tmp_path: Path
) -> None:
    async with indexed(local, f"sqlite:///{tmp_path / 'index.db'}", **UNLIMITED) as api:
        busy(live)

        async def healthy() -> bool:
            return (await api.get("/health")).status_code == 200

        await until(healthy, seconds=60)
        (tmp_path / "schemathesis.toml").write_text(CONFIG)
        asking = await asyncio.create_subprocess_exec(
            *(SCHEMATHESIS, "run", f"{api.base_url}/openapi.json", "--max-examples", str(EXAMPLES)),
            *("--phases", "examples,coverage,fuzzing,stateful", "--generation-deterministic", "--no-color"),
            *("--exclude-path", ENDLESS),
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(SECONDS):
            said, _ = await asking.communicate()
        answered = set(COUNTED.findall(await metrics_of(api)))
        described = (await api.get("/openapi.json")).json()["paths"]
    assert asking.returncode == 0, said.decode()
    items = {path for path, methods in described.items() if "{" in path and "get" in methods}
    found = items & answered
    assert len(found) >= LEAST_SHARE * len(items), f"never answered: {sorted(items - found)}"
