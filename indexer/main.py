"""The service: migrations, the loop that follows the chain, and the API, in one process."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import structlog
import uvicorn

from indexer.api.connections import BoundedServer, Limits, bounded
from indexer.api.main import create_app
from indexer.database import migrate, open_database
from indexer.follow import Follower
from indexer.metrics import NODES
from indexer.settings import Settings
from indexer.sources.node import node_of
from indexer.status import Status

SHUTDOWN_SECONDS = 3

log = structlog.get_logger(__name__)

Ready = Callable[[], object]


async def serve(settings: Settings, *, ready: Ready | None = None) -> None:
    """Runs until cancelled; calls `ready` once the API listens.

    /health says when the index is complete. Raises DatabaseUnusable, OSError when the port is taken, or what broke.
    """
    engine = open_database(settings.database_url)
    try:
        await asyncio.to_thread(migrate, engine)
        status = Status()
        listener = _listen(settings.host, settings.port)
        server = _Server(
            uvicorn.Config(
                create_app(settings, engine=engine, status=status),
                http=bounded(Limits.of(settings)),
                ws="none",
                access_log=False,
                log_level="warning",
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            )
        )
        async with node_of(settings) as rpc:
            with NODES.watching("index", rpc.endpoints):
                follower = Follower(settings, engine, rpc, status)
                await _run_together(server, listener, follower, ready)
    finally:
        engine.dispose()


async def _run_together(server: _Server, listener: socket.socket, follower: Follower, ready: Ready | None) -> None:
    """Runs both until one fails or the caller cancels; in-flight requests complete."""
    serving = asyncio.create_task(server.serve([listener]), name="indexer-api")
    following = asyncio.create_task(follower.run(), name="indexer-follow")
    started = asyncio.create_task(server.ready.wait())
    try:
        await asyncio.wait([started, serving, following], return_when=asyncio.FIRST_COMPLETED)
        if started.done():
            log.info("indexer ready", url=_url(listener))
            if ready is not None:
                ready()
        await asyncio.wait([serving, following], return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        for task in (started, following):
            task.cancel()
        await asyncio.gather(serving, following, started, return_exceptions=True)
    for task in (following, serving):
        if not task.cancelled():
            task.result()


class _Server(BoundedServer):
    """Leaves signals to the process it runs in, and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
