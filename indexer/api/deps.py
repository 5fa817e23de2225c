"""Dependencies of routes, typed once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from anchor_client.market.client import Market
from indexer.api.cursors import PATTERN
from indexer.api.limits.routes import take_of_node
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.transactions import Reads, Writes

Limit = Annotated[int, Query(ge=1, le=200)]
CursorText = Annotated[str | None, Query(pattern=PATTERN, description="next_cursor of the previous page.")]


def of_application(name: str) -> Callable[[Request], Awaitable[Any]]:
    """A dependency on what the application's state has under a name; its type stands beside it."""

    async def take(request: Request) -> Any:
        return getattr(request.app.state, name)

    return take


async def _market(request: Request) -> Market:
    await take_of_node(request)
    market: Market = request.app.state.market
    return market


ApiSettings = Annotated[IndexerSettings, Depends(of_application("settings"))]
Read = Annotated[Reads, Depends(of_application("reads"))]
Write = Annotated[Writes, Depends(of_application("writes"))]
Chain = Annotated[Status, Depends(of_application("status"))]
MarketClient = Annotated[Market, Depends(_market)]
"""Without a wallet: it plans and never signs. It asks the node, so requests that need it have a separate limit."""
