"""A seeded market on the embedded cluster, as a fixture of the folders that import it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from xprocess import XProcess

from anchor_client.generated.program import PROGRAM_ID
from local_market.program import PROGRAM_PATH
from tests.markets.cluster import Cluster
from tests.markets.marketplace import Marketplace, one_host
from tests.processes.embedded import running


@pytest.fixture(scope="package")
def marketplace(xprocess: XProcess) -> Iterator[Marketplace]:
    """The market that the tests of a folder share; each takes listings and wallets of its own."""
    keys = one_host()
    program = ("--program", str(PROGRAM_ID), str(PROGRAM_PATH), "--upgrade-authority", str(keys.authority.pubkey()))
    with running(xprocess, *program) as (http_url, ws_url):
        market = Marketplace(Cluster(http_url, ws_url), keys)
        asyncio.run(market.seed())
        yield market
