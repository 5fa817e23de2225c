"""Rentals on a cluster that an index follows, and what the index must have of them."""

from __future__ import annotations

from pathlib import Path

import httpx

from indexer.index.ingest import ingest
from indexer.store.database import open_database
from tests.indexer.databases import sqlite
from tests.indexer.service import until_status
from tests.indexer.tables import contents
from tests.markets.recorded import Market, as_transaction
from tests.program.harness.flows import running

NOT_COMPARED = {"cursor", "reconciliation", "supply_check"}
"""Tables that come of looking at the chain and not of its events: they are left out of the comparison."""


async def rent(live: Market, api: httpx.AsyncClient) -> None:
    """A rental from its opening to its end."""
    rental = running(live, live.renter(), listing=live.listings[0])
    live.act(live.settle_rental(rental))
    live.act(live.stop_rental(rental))
    await until_status(api, str(rental), "completed")


def same_as_rpc(live: Market, url: str, folder: Path) -> None:
    """The database has what the recorded transactions make of an empty one."""
    followed = open_database(url)
    with sqlite(folder / "rpc.db") as read:
        ingest([as_transaction(record) for record in live.records], read)
        expected, found = contents(read), contents(followed)
    followed.dispose()
    for name in expected.keys() - NOT_COMPARED:
        assert found[name] == expected[name], name
