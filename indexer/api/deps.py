"""What routes depend on, typed once."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from anchor_client.market.client import Market
from indexer.api.cursors import PATTERN
from indexer.api.limits.routes import take_of_node
from indexer.api.transactions import Reads, Writes
from indexer.settings import Settings
from indexer.status import Status

Limit = Annotated[int, Query(ge=1, le=200)]
CursorText = Annotated[str | None, Query(pattern=PATTERN, description="next_cursor of the previous page.")]


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def _reads(request: Request) -> Reads:
    reads: Reads = request.app.state.reads
    return reads


async def _writes(request: Request) -> Writes:
    writes: Writes = request.app.state.writes
    return writes


async def _status(request: Request) -> Status:
    status: Status = request.app.state.status
    return status


async def _market(request: Request) -> Market:
    await take_of_node(request)
    market: Market = request.app.state.market
    return market


ApiSettings = Annotated[Settings, Depends(_settings)]
Read = Annotated[Reads, Depends(_reads)]
Write = Annotated[Writes, Depends(_writes)]
Chain = Annotated[Status, Depends(_status)]
MarketClient = Annotated[Market, Depends(_market)]
"""Without a wallet: it plans and never signs. It asks the node, so requests that need it have a limit of their own."""
