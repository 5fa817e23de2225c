"""A desk for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Engine

from tests.indexer.acts.desk import Desk, open_desk


@pytest.fixture
async def desk(sqlite_engine: Engine) -> AsyncIterator[Desk]:
    """An API with a market behind it."""
    async with open_desk(sqlite_engine) as opened:
        yield opened
