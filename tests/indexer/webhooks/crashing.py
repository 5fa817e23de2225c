"""A process that only sends notices, to be killed."""

from __future__ import annotations

import asyncio

from indexer.api.webhooks import noting
from indexer.api.webhooks.delivering import Delivering
from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.reader import reading_changes
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.database import open_database
from indexer.store.transactions import Reads, Writes


def send_until_killed(database_url: str, page: int) -> None:
    """Sends what the index takes in, `page` events in one transaction."""
    noting.PAGE = page
    asyncio.run(_send(IndexerSettings(database_url=database_url, webhook_private=True)))


async def _send(settings: IndexerSettings) -> None:
    engine, status = open_database(settings.database_url), Status()
    changes = ChangeDispatcher(settings.program_id, status, is_told=False)
    delivering = Delivering(settings, status, changes)
    with Reads(engine) as reads, Writes(engine) as writes, reading_changes(engine, delivering.wake) as reader:
        changes.begin(reader, reads)
        async with delivering.running(engine, reads, reads, writes):
            await asyncio.Event().wait()
