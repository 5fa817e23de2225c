"""One process that answers requests, `python -m indexer.api.workers.worker`, on a socket that it may share with others.

It reads an Assignment as a line of JSON from standard input, writes a line once it listens, then answers each line with
its metrics, or says at /health what that says, and stops when standard input ends: it never outlives its parent.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import msgspec
import uvicorn

from anchor_client.service.listening import KEEP_ALIVE_SECONDS
from anchor_client.service.log_format import LogFormat
from anchor_client.service.logs import configure_service_logs
from anchor_client.service.monitoring import exposition
from indexer import garbage
from indexer.accounts.signing_keys import parse_keys
from indexer.api.http.connections import BoundedServer, ConnectionLimits, bounded, bounded_websocket
from indexer.api.main import create_app
from indexer.api.workers.master import LEAVE, READY, SHUTDOWN_SECONDS, TROUBLE, Assignment
from indexer.metrics import API
from indexer.settings import IndexerSettings
from indexer.status import Status

SWITCH_SECONDS = 0.0005
"""Seconds that a thread making answers may hold up the one that sends kept answers: a tenth of Python's default."""
MOST_MESSAGE_BYTES = 64 * 1024
"""Of what a client of the feed sends."""


class ApiServer(BoundedServer):
    """Leaves signals to the process it runs in, and says when it listens."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None] | None) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._ending is not None:
            self._ending()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server_of(settings: IndexerSettings, app: object, ending: Callable[[], None] | None = None) -> ApiServer:
    """A server of bounded connections for an application; `ending` is called before it waits for its answers' ends."""
    limits = ConnectionLimits.of(settings)
    return ApiServer(
        uvicorn.Config(
            app,  # type: ignore[arg-type]
            http=bounded(limits),
            forwarded_allow_ips=settings.trusted_proxies,
            ws=bounded_websocket(limits),
            ws_max_size=MOST_MESSAGE_BYTES,
            access_log=False,
            log_config=None,
            log_level="warning",
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ),
        ending,
    )


async def answer(assignment: Assignment) -> None:
    """Answers until standard input ends."""
    settings = IndexerSettings(**assignment.settings)
    app = create_app(settings, keys=parse_keys(assignment.keys))
    server = server_of(settings, app, app.state.feed.end)
    serving = asyncio.create_task(server.serve([socket.socket(fileno=assignment.listener)]))
    starting = asyncio.create_task(server.ready.wait())
    await asyncio.wait([serving, starting], return_when=asyncio.FIRST_COMPLETED)
    if starting.done():
        _say(READY)
        ended = asyncio.create_task(asyncio.to_thread(_obey, app.state.status))
        await asyncio.wait([serving, ended], return_when=asyncio.FIRST_COMPLETED)
    starting.cancel()
    server.should_exit = True
    await serving


def _obey(status: Status) -> None:
    """Sends metrics to its parent process, and reports its commands at /health, until the parent ends."""
    for line in sys.stdin.buffer:
        if line == LEAVE:
            status.stopping = True
            continue
        if line.startswith(TROUBLE):
            status.last_error = line.removeprefix(TROUBLE).decode().strip()
            continue
        _say(msgspec.json.encode(exposition(API)) + b"\n")


def _say(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def main() -> None:
    """The process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; who started it decides
    assignment = msgspec.json.decode(sys.stdin.buffer.readline(), type=Assignment)
    configure_service_logs(assignment.level, LogFormat(assignment.form))
    sys.setswitchinterval(SWITCH_SECONDS)
    garbage.none_so_far()
    asyncio.run(answer(assignment))


if __name__ == "__main__":
    main()
