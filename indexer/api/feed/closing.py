"""Opening and closing of a WebSocket: refusals close it with a code and with their name."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from indexer.api.errors import ApiError
from indexer.api.feed import messages

SUBPROTOCOL: Final = "gpu-market"
"""Subprotocol for browsers, which offer it beside a credential because the server must take one that they offer."""
GOING_AWAY = 1001
REFUSED = 1008
TRY_AGAIN = 1013
UNAUTHORIZED = 3000
FORBIDDEN = 3003
CODES: Final[Mapping[int, int]] = MappingProxyType(
    {401: UNAUTHORIZED, 403: FORBIDDEN, 422: REFUSED, 429: TRY_AGAIN, 503: TRY_AGAIN}
)
"""By the status that HTTP has for the same."""
CLOSE_SECONDS: Final = 15.0
"""Seconds that a slow client may take to read its last message."""


async def accept(websocket: WebSocket) -> None:
    """Takes a connection."""
    await websocket.accept(SUBPROTOCOL if SUBPROTOCOL in websocket.scope["subprotocols"] else None)


async def refuse(websocket: WebSocket, refusal: ApiError) -> None:
    """Says why in a message and as the reason, and closes."""
    problem = refusal.problem
    if websocket.client_state is WebSocketState.CONNECTING:
        await websocket.receive()
        await accept(websocket)
    await close(websocket, CODES[problem.status], messages.error(problem.error, problem.detail), problem.error)


async def close(websocket: WebSocket, code: int, last: bytes, reason: str) -> None:
    """Sends a last message, if the client still listens, and closes."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await websocket.send_text(last.decode())
            await websocket.close(code, reason)
