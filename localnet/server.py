"""The embedded cluster as a server: JSON-RPC and PubSub on one port, PubSub also on the next, as clients expect."""

import asyncio
import contextlib
import socket
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import uvicorn

from anchor_client.service.listening import KEEP_ALIVE_SECONDS, listen
from localnet.app import create_app
from localnet.cluster import Cluster
from localnet.ticker import Ticker
from localnet.timeline import SLOT_MS

if TYPE_CHECKING:
    from localnet.geyser.server import GeyserServer

HOST = "127.0.0.1"
PORT = 8899
PORT_ATTEMPTS = 64
SHUTDOWN_SECONDS = 1


class LocalCluster:
    """A cluster behind HTTP and WebSocket in this process; an async context manager, or `start` and `stop`.

    Port 0 picks a free pair of ports. With `grpc_port` blocks are streamed there, which needs the `grpc` extra.
    `quirks` name habits of providers' nodes (`localnet.quirks`), `pages` the origins of the only web pages that it
    answers. The cluster belongs to the thread of the event loop.
    """

    def __init__(
        self,
        *,
        host: str = HOST,
        port: int = 0,
        data: Path | None = None,
        finality_lag: int = 0,
        slot_ms: int = SLOT_MS,
        grpc_port: int | None = None,
        quirks: Iterable[str] = (),
        pages: Collection[str] | None = None,
    ) -> None:
        self.cluster = Cluster(data, finality_lag=finality_lag, slot_ms=slot_ms)
        self.host = host
        self.port = port
        self.grpc_port = grpc_port
        self._quirks = tuple(quirks)
        self._pages = pages
        self._geyser: GeyserServer | None = None
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def http_url(self) -> str:
        """URL of JSON-RPC."""
        return f"http://{self.host}:{self.port}"

    @property
    def ws_url(self) -> str:
        """URL of PubSub."""
        return f"ws://{self.host}:{self.port + 1}"

    async def start(self) -> None:
        """Listens on both ports; returns once clients can connect. Raises OSError when a port is taken."""
        sockets = _bind(self.host, self.port)
        self.port = sockets[0].getsockname()[1]
        self._server = _Server(
            uvicorn.Config(
                create_app(self.cluster, self._quirks, self._pages),
                ws="websockets-sansio",
                lifespan="off",
                access_log=False,
                log_level="warning",
                server_header=False,
                date_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            )
        )
        if self.grpc_port is not None:
            await self._stream(self.grpc_port)
        self._tasks = [
            asyncio.create_task(self._server.serve(sockets), name="localnet-server"),
            asyncio.create_task(Ticker(self.cluster).run(), name="localnet-ticker"),
        ]
        started = asyncio.create_task(self._server.ready.wait())
        await asyncio.wait([started, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        # It waits for ever where the server has failed.
        started.cancel()
        self._raise_failure()

    @property
    def grpc_url(self) -> str | None:
        """URL of the stream of blocks; None without one."""
        return None if self.grpc_port is None else f"http://{self.host}:{self.grpc_port}"

    async def wait_closed(self) -> None:
        """Waits until the server or the cluster's clock ends, and raises what ended it."""
        await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        self._raise_failure()

    async def stop(self) -> None:
        """Disconnects every client and saves the cluster."""
        if self._geyser is not None:
            await self._geyser.stop()
        server, ticker = (*self._tasks, None, None)[:2]
        if ticker is not None:
            ticker.cancel()
        if server is not None and self._server is not None:
            self._server.stopping.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        self.cluster.close()

    async def _stream(self, port: int) -> None:
        from localnet.geyser.server import GeyserServer  # noqa: PLC0415 - an optional dependency
        from localnet.geyser.window import SlotWindow  # noqa: PLC0415

        self._geyser = GeyserServer(SlotWindow(self.cluster), host=self.host, port=port)
        await self._geyser.start()
        self.grpc_port = self._geyser.port

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _raise_failure(self) -> None:
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()


class _Server(uvicorn.Server):
    """Leaves signals to the process it runs in, and says when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.stopping = asyncio.Event()

    async def main_loop(self) -> None:
        """Until it is told to stop; uvicorn's own looks ten times a second whether it has been."""
        await self.stopping.wait()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _bind(host: str, port: int) -> list[socket.socket]:
    """Sockets on a port and the next one; any free pair for port 0."""
    for _ in range(PORT_ATTEMPTS - 1 if port == 0 else 0):
        first = listen(host, 0)
        try:
            return [first, listen(host, first.getsockname()[1] + 1)]
        # The kernel chooses the first port only; the one above it may be taken, or be none.
        except (OSError, OverflowError):
            first.close()
    first = listen(host, port)
    try:
        return [first, listen(host, first.getsockname()[1] + 1)]
    except OSError:
        first.close()
        raise
