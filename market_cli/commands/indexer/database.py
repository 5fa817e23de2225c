"""The index database of a command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Engine

from indexer.errors import IndexerError
from indexer.settings import IndexerSettings
from indexer.store.database import migrate, open_database
from local_market.errors import StartFailed
from market_cli.session import CliSession


def settings_of(session: CliSession, **flags: Any) -> IndexerSettings:
    """The indexer's settings: the session's cluster, the environment, and flags that were given."""
    return IndexerSettings.model_validate(
        {
            **IndexerSettings().model_dump(),
            "rpc_url": session.settings.rpc_url,
            "rpc_rate": session.settings.rpc_rate,
            "ws_url": session.settings.ws_url,
            "program_id": str(session.settings.program_id),
            **_tokens(session),
            **{name: value for name, value in flags.items() if value is not None},
        }
    )


def _tokens(session: CliSession) -> dict[str, dict[str, str]]:
    """The cluster's tokens, if the command line knows any."""
    mints = {symbol: str(mint) for symbol, mint in session.settings.tokens.items()}
    return {"tokens": mints} if mints else {}


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
