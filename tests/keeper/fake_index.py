"""An API that says what it is told to say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from solders.pubkey import Pubkey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.indexer.service import serving
from tests.processes.ports import free_ports

FAR = 2**40


@dataclass(slots=True)
class FakeIndex:
    """By default an index that is complete and says that nothing is due."""

    url: str
    health: dict[str, Any] = field(
        default_factory=lambda: {"status": "ok", "problems": [], "complete_slot": FAR, "lag_seconds": 0.0}
    )
    due: Any = field(default_factory=lambda: page([]))
    asked: int = 0
    """Number of times that it was asked what is due."""

    async def answer(self, request: Request) -> Response:
        """Either path."""
        if request.url.path == "/health":
            return JSONResponse(self.health, 200 if self.health.get("status") == "ok" else 503)
        self.asked += 1
        return JSONResponse(self.due)


def page(rentals: Sequence[Pubkey | str], cursor: str | None = None) -> dict[str, Any]:
    """A page that names these rentals."""
    due = [{"kind": "job", "id": str(address), "due_at": 1} for address in rentals]
    return {"due": due, "next_cursor": cursor}


@asynccontextmanager
async def fake_index() -> AsyncIterator[FakeIndex]:
    """Served until the block ends."""
    port = free_ports()
    fake = FakeIndex(f"http://127.0.0.1:{port}")
    app = Starlette(routes=[Route("/{rest:path}", fake.answer)])
    async with serving(uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning", lifespan="off"))):
        yield fake
