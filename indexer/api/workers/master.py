"""The processes that answer requests, all on one socket."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

import msgspec
import structlog
from prometheus_client import REGISTRY
from prometheus_client.registry import Collector

from anchor_client.service.listening import listen
from anchor_client.service.logs import log_settings
from anchor_client.service.monitoring import serve_metrics
from indexer.accounts.database import migrate_all
from indexer.accounts.signing_keys import SigningKeys, load_keys
from indexer.api.workers.metrics import MOST_BYTES, WorkerMetrics
from indexer.errors import IndexerError
from indexer.settings import IndexerSettings
from indexer.store.database import open_database
from indexer.store.threads import in_thread

READY = b"ready\n"
LEAVE = b"leave\n"
"""Command that makes a process report at /health that it stops, while it keeps serving."""
TROUBLE = b"trouble "
"""Begins the command that says why the chain cannot be read, where the database may be the reason."""
SHUTDOWN_SECONDS = 3
LEAST = 1
RATES = (
    "requests_per_client",
    "requests_per_wallet",
    "sign_ins_per_client",
    "node_requests",
    "node_requests_per_client",
    "faucet_gifts",
)
"""Rates that processes share out among them, unless Redis counts for all."""

log = structlog.get_logger(__name__)

Ready = Callable[[], object]


class Assignment(msgspec.Struct):
    """The settings of one process, the keys of all, the file descriptor of its socket, from which level and how it
    logs."""

    settings: dict[str, Any]
    keys: list[str]
    listener: int
    level: int
    form: str


class Answering(NamedTuple):
    """A running API: a task that ends when it does, and its metrics."""

    ended: asyncio.Task[None]
    metrics: Collector
    hear_trouble: Callable[[str], object] = lambda reason: None
    """Takes why the chain cannot be read, for /health."""


class WorkerEnded(IndexerError):
    """A process that answers requests has ended unexpectedly."""

    def __init__(self, code: int | None) -> None:
        super().__init__(f"a process that answers requests has ended with {code}")


async def answer(settings: IndexerSettings, *, ready: Ready | None = None) -> None:
    """Answers requests from an index that another process keeps, until cancelled; calls `ready` once it does.

    Raises DatabaseUnusable, AuthKeysUnusable, OSError when the port is taken, MetricsUnserved, or WorkerEnded.
    """
    engine = open_database(settings.database_url)
    try:
        await in_thread(migrate_all, settings, engine)
    finally:
        engine.dispose()
    with listen(settings.host, settings.port) as listener:
        async with working(settings, listener) as answering:
            with serve_metrics([answering.metrics, REGISTRY], settings.metrics_host, settings.metrics_port):
                log.info("api ready", url=url_of(listener))
                if ready is not None:
                    ready()
                await answering.ended


@asynccontextmanager
async def working(settings: IndexerSettings, listener: socket.socket) -> AsyncIterator[Answering]:
    """Runs `settings.workers` processes that all answer on a socket; `ended` raises WorkerEnded when one ends."""
    # The first process that can answer has it listen: until then nobody's connection is taken.
    listener.setblocking(False)
    keys = load_keys(settings.auth_keys_file)
    async with AsyncExitStack() as stack:
        processes = [
            await stack.enter_async_context(_worker(settings, keys, listener)) for _ in range(settings.workers)
        ]
        ended = asyncio.create_task(_first_end(processes))
        stack.callback(ended.cancel)
        async with asyncio.TaskGroup() as starting:
            for process in processes:
                starting.create_task(_started(process))
        try:
            yield Answering(ended, WorkerMetrics(processes), partial(_trouble, processes))
        finally:
            if settings.drain_seconds and all(process.returncode is None for process in processes):
                await _drain(processes, settings.drain_seconds)
            listener.close()  # before theirs: else connections would be taken that nobody answers


def url_of(listener: socket.socket) -> str:
    """URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def share_of(settings: IndexerSettings) -> IndexerSettings:
    """The settings of one of several processes: each has its part of what all may have."""
    parts = settings.workers
    counted_alone = () if settings.limits_url else RATES
    return replace(
        settings,
        max_connections=max(LEAST, settings.max_connections // parts),
        max_connections_per_client=max(LEAST, settings.max_connections_per_client // parts),
        feed_clients=max(LEAST, settings.feed_clients // parts),
        feed_clients_per_client=max(LEAST, settings.feed_clients_per_client // parts),
        feed_clients_per_wallet=max(LEAST, settings.feed_clients_per_wallet // parts),
        **{name: getattr(settings, name) / parts for name in counted_alone},
    )


@asynccontextmanager
async def _worker(settings: IndexerSettings, keys: SigningKeys, listener: socket.socket) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "indexer.api.workers.worker"),
        stdin=PIPE,
        stdout=PIPE,
        pass_fds=[listener.fileno()],
        # asyncio takes lines of up to 64 KiB by default, and all metrics of a process are one.
        limit=MOST_BYTES,
    )
    assert process.stdin is not None
    level, form = log_settings()
    assignment = Assignment(asdict(share_of(settings)), [*map(str, keys)], listener.fileno(), level, form)
    process.stdin.write(msgspec.json.encode(assignment) + b"\n")
    try:
        yield process
    finally:
        # Which ends it: it serves as long as it can read from here, and so never outlives this process.
        process.stdin.close()
        try:
            async with asyncio.timeout(2 * SHUTDOWN_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def _trouble(processes: list[Process], reason: str) -> None:
    line = TROUBLE + " ".join(reason.split()).encode() + b"\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(line)


async def _drain(processes: list[Process], seconds: float) -> None:
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(LEAVE)
    # Load balancers ask /health now and then, and send requests until they have seen it.
    await asyncio.sleep(seconds)


async def _started(process: Process) -> None:
    assert process.stdout is not None
    if await process.stdout.readline() != READY:
        raise WorkerEnded(await process.wait())


async def _first_end(processes: list[Process]) -> None:
    waiting = [asyncio.create_task(process.wait()) for process in processes]
    try:
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        raise WorkerEnded(done.pop().result())
    finally:
        for task in waiting:
            task.cancel()
