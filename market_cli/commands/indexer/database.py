"""The index database of a command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import Engine

from indexer.errors import IndexerError
from indexer.settings import IndexerSettings
from indexer.store.database import migrate, open_database
from local_market.errors import StartFailed


@asynccontextmanager
async def opened(settings: IndexerSettings) -> AsyncIterator[Engine]:
    """The database with this version's schema. An error that stops the index ends the command with its remedy."""
    try:
        engine = open_database(settings.database_url)
        try:
            await asyncio.to_thread(migrate, engine)
            yield engine
        finally:
            engine.dispose()
    except IndexerError as error:
        raise StartFailed(str(error), error.remedy) from error
