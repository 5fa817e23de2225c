"""The service and a cluster for it, or the API alone, in the test's own event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import httpx
import uvicorn
from sqlalchemy import Engine
from tenacity import AsyncRetrying, retry_if_result, stop_after_delay, wait_fixed

from indexer.api.main import create_app
from indexer.main import serve
from indexer.settings import IndexerSettings
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports


class Endpoint(Protocol):
    """Addresses at which a cluster is served."""

    @property
    def http_url(self) -> str: ...
    @property
    def ws_url(self) -> str: ...


@asynccontextmanager
async def indexed(
    local: Endpoint, database_url: str, workers: int = 0, **changes: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """The service on a cluster, until the block ends; the API in this process unless it has workers."""
    port = free_ports(2)
    settings = IndexerSettings(
        rpc_url=local.http_url,
        ws_url=local.ws_url,
        database_url=database_url,
        port=port,
        metrics_port=port + 1,
        workers=workers,
        **changes,
    )
    ready = asyncio.Event()
    service = asyncio.create_task(serve(settings, ready=ready.set))
    started = asyncio.create_task(ready.wait())
    await asyncio.wait([service, started], return_when=asyncio.FIRST_COMPLETED)
    started.cancel()
    if service.done():
        await service
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{settings.port}", timeout=PATIENCE) as api:
            yield api
    finally:
        service.cancel()
        await asyncio.wait([service])
        if not service.cancelled():
            service.result()


async def metrics_of(api: httpx.AsyncClient) -> str:
    """Prometheus metrics of the service that is `indexed`, on the port after its API's."""
    async with httpx.AsyncClient(timeout=PATIENCE) as prometheus:
        answer = await prometheus.get(f"http://127.0.0.1:{(api.base_url.port or 0) + 1}/metrics")
        return answer.raise_for_status().text


@asynccontextmanager
async def api_alone(engine: Engine, port: int | None = None, **changes: Any) -> AsyncIterator[str]:
    """The API over a database, with no cluster behind it unless `changes` name one; gives its URL."""
    port = port or free_ports()
    config = uvicorn.Config(create_app(IndexerSettings(**changes), engine=engine), port=port, log_level="warning")
    async with serving(uvicorn.Server(config)):
        yield f"http://127.0.0.1:{port}"


@asynccontextmanager
async def serving(server: uvicorn.Server, *listeners: socket.socket) -> AsyncIterator[None]:
    """Serves until the block ends."""
    task = asyncio.create_task(server.serve([*listeners] or None))

    async def started() -> bool:
        return server.started

    try:
        await until(started)
        yield
    finally:
        server.should_exit = True
        await task


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = PATIENCE) -> None:
    """Asks until it is so."""
    attempts = AsyncRetrying(
        retry=retry_if_result(lambda held: not held), wait=wait_fixed(0.05), stop=stop_after_delay(seconds)
    )
    await attempts(condition)


async def until_status(api: httpx.AsyncClient, job: str, status: str, seconds: float = PATIENCE) -> dict[str, object]:
    """The job once it is in a state."""

    async def reached() -> bool:
        answer = await api.get(f"/api/jobs/{job}")
        return answer.status_code == 200 and answer.json()["status"] == status

    await until(reached, seconds)
    found: dict[str, object] = (await api.get(f"/api/jobs/{job}")).json()
    return found
