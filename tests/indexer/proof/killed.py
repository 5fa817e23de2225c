"""A process that takes in a chain, one transaction in each commit, to be killed."""

from __future__ import annotations

import asyncio

from indexer.index import follow
from indexer.index.follow import Follower
from indexer.index.sources import history
from indexer.index.sources.node import node_of
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import open_database


def take_in(rpc_url: str, database_url: str) -> None:
    """Reads up to the head."""
    follow.BATCH = history.CHUNK = 1
    asyncio.run(_take_in(IndexerSettings(rpc_url=rpc_url, database_url=database_url)))


async def _take_in(settings: IndexerSettings) -> None:
    async with node_of(settings) as rpc:
        await Follower(settings, open_database(settings.database_url), rpc, Status()).catch_up()
