"""The service: migrations, the loop that follows the chain, and the API in separate processes."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import structlog
from prometheus_client import REGISTRY
from sqlalchemy import Engine

from anchor_client.service.disk import DiskMetrics
from anchor_client.service.listening import listen
from anchor_client.service.monitoring import serve_metrics
from anchor_client.service.supervision import Supervisor
from indexer.accounts.database import migrate_all
from indexer.api.workers.master import Answering, Ready, url_of, working
from indexer.index.follow import Follower
from indexer.index.lag import Lag
from indexer.index.projector import Projector
from indexer.index.sources.node import node_of
from indexer.metrics import API, INDEX, INDEX_NODES
from indexer.settings import IndexerSettings, IndexSource
from indexer.status import Status
from indexer.store.database import folder_of, open_database
from indexer.store.threads import in_thread

if TYPE_CHECKING:
    from indexer.api.workers.worker import ApiServer

log = structlog.get_logger(__name__)


async def serve(settings: IndexerSettings, *, ready: Ready | None = None, supervisor: Supervisor | None = None) -> None:
    """Runs until cancelled; calls `ready` once the API listens, and reports to `supervisor` as well.

    /health says when the index is complete. Raises DatabaseUnusable, OSError when the port is taken, MetricsUnserved,
    HooksUnserved, AuthKeysUnusable, KafkaMissing, or what broke.
    """
    engine = open_database(settings.database_url)
    supervisor = supervisor or Supervisor()
    turns = supervisor.loop()
    try:
        await in_thread(migrate_all, settings, engine)
        status = Status()
        with listen(settings.host, settings.port) as listener:
            node = node_of(settings, turns.progressed, status.failed)
            async with node as rpc, _answering(settings, engine, status, listener) as answering:
                kind = Projector if settings.source is IndexSource.KAFKA else Follower
                follower = kind(settings, engine, rpc, status, turns=turns, trouble=answering.hear_trouble)
                counted = [
                    INDEX,
                    Lag(status, lambda: follower.waiting),
                    answering.metrics,
                    DiskMetrics(folder_of(engine)),
                    REGISTRY,
                ]
                nodes = INDEX_NODES.watching("index", rpc.endpoints)
                with nodes, serve_metrics(counted, settings.metrics_host, settings.metrics_port):
                    async with _hooks(settings, follower) as hooks:
                        log.info("indexer ready", url=url_of(listener))
                        supervisor.ready()
                        if ready is not None:
                            ready()
                        await _first_of(follower, answering.ended, *hooks)
    finally:
        engine.dispose()


@asynccontextmanager
async def _answering(
    settings: IndexerSettings, engine: Engine, status: Status, listener: socket.socket
) -> AsyncIterator[Answering]:
    """Answers requests, in this process if it is to have no other; in-flight requests complete."""
    if settings.workers:
        async with working(settings, listener) as answering:
            yield answering
        return
    from indexer.api.main import create_app  # noqa: PLC0415 - takes long, and other processes answer as a rule
    from indexer.api.workers.worker import server_of  # noqa: PLC0415

    app = create_app(settings, engine=engine, status=status)
    async with _serving(server_of(settings, app, app.state.feed.end), listener) as serving:
        try:
            yield Answering(serving, API)
        finally:
            status.stopping = True
            if not serving.done():
                await asyncio.sleep(settings.drain_seconds)


@asynccontextmanager
async def _hooks(settings: IndexerSettings, follower: Follower | Projector) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Takes webhooks, if it is to. Raises HooksUnserved."""
    if settings.hooks_port is None or settings.hooks_secret is None:
        yield []
        return
    from indexer.api.workers.worker import server_of  # noqa: PLC0415 - as above
    from indexer.hooks import hooks_app, listen_for_hooks  # noqa: PLC0415

    with listen_for_hooks(settings.hooks_port) as listener:
        app = hooks_app(settings.hooks_secret, follower.wake)
        async with _serving(server_of(settings, app), listener) as serving:
            log.info("webhooks are taken", url=url_of(listener))
            yield [serving]


@asynccontextmanager
async def _serving(server: ApiServer, listener: socket.socket) -> AsyncIterator[asyncio.Task[None]]:
    """Serves in this process; in-flight requests complete."""
    serving = asyncio.create_task(server.serve([listener]), name="indexer-server")
    starting = asyncio.create_task(server.ready.wait())
    await asyncio.wait([serving, starting], return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    try:
        yield serving
    finally:
        server.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)


async def _first_of(follower: Follower | Projector, *serving: asyncio.Task[None]) -> None:
    """Follows the chain until that or a server ends, and raises what ended it."""
    following = asyncio.create_task(follower.run(), name="indexer-follow")
    try:
        done, _ = await asyncio.wait([following, *serving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    for task in done:
        task.result()
