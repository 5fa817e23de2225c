"""The gRPC server: Subscribe to blocks, SubscribeReplayInfo, GetVersion and Ping."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Final, NoReturn, Self

import grpc
from grpc import aio

from anchor_client.solana.yellowstone.generated.geyser_pb2 import (
    GetVersionRequest,
    GetVersionResponse,
    PingRequest,
    PongResponse,
    SubscribeReplayInfoRequest,
    SubscribeReplayInfoResponse,
    SubscribeRequest,
    SubscribeUpdate,
    SubscribeUpdatePing,
)
from anchor_client.solana.yellowstone.service import GET_VERSION, PING, REPLAY_INFO, SERVICE, SUBSCRIBE, TOKEN
from localnet.geyser.client import Client, Lagged, Refused
from localnet.geyser.window import SlotWindow

PING_SECONDS: Final = 15.0
Context = aio.ServicerContext[Any, Any]

# Else the last server that is collected waits for gRPC's poller, which may not end while a call is pending.
aio.init_grpc_aio()


class GeyserServer:
    """Streams a window's blocks; with `token` only to those who send it. `start` and `stop`, or an async
    context manager.

    A subscriber that reads too slowly is dropped once what it needs has left the window.
    """

    def __init__(
        self,
        window: SlotWindow,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        ping_seconds: float = PING_SECONDS,
    ) -> None:
        self.host = host
        self.port = port
        self.clients: list[Client] = []
        """Everybody who ever subscribed."""
        self._window = window
        self._token = token
        self._ping_seconds = ping_seconds

    @property
    def url(self) -> str:
        """URL of the server."""
        return f"http://{self.host}:{self.port}"

    async def start(self) -> None:
        """Listens; raises OSError when the port is taken."""
        # With SO_REUSEPORT, gRPC's default, two servers would share a port and neither fail.
        self._server = aio.server(options=(("grpc.so_reuseport", 0),))
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, self._handlers()),))
        try:
            self.port = self._server.add_insecure_port(f"{self.host}:{self.port}")
        except RuntimeError as error:
            raise OSError(str(error)) from error
        await self._server.start()

    async def stop(self) -> None:
        """Ends every stream."""
        await self._server.stop(None)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def subscribe(
        self, requests: AsyncIterator[SubscribeRequest], context: Context
    ) -> AsyncIterator[SubscribeUpdate]:
        """Blocks, pings now and then, and a pong to each ping."""
        await self._admit(context)
        client = Client(self._window)
        self.clients.append(client)
        reading = asyncio.create_task(client.read(requests))
        # Else a client that has left would be noticed at the next ping only.
        reading.add_done_callback(lambda _: client.changed.set())
        self._window.watch(client.changed)
        try:
            while True:
                client.changed.clear()
                if reading.done():
                    reading.result()
                    return
                updates = client.take()
                for update in updates:
                    yield update
                if updates:
                    continue
                try:
                    async with asyncio.timeout(self._ping_seconds):
                        await client.changed.wait()
                except TimeoutError:
                    yield SubscribeUpdate(ping=SubscribeUpdatePing())
        except Refused as error:
            await _abort(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
        except Lagged as error:
            await _abort(context, grpc.StatusCode.INTERNAL, f"lagged: {error}")
        finally:
            self._window.ignore(client.changed)
            reading.cancel()

    async def replay_info(self, request: SubscribeReplayInfoRequest, context: Context) -> SubscribeReplayInfoResponse:
        """The first slot from which a replay is possible."""
        await self._admit(context)
        return SubscribeReplayInfoResponse(first_available=self._window.first)

    async def ping(self, request: PingRequest, context: Context) -> PongResponse:
        """The same count."""
        await self._admit(context)
        return PongResponse(count=request.count)

    async def version(self, request: GetVersionRequest, context: Context) -> GetVersionResponse:
        """Name of this server, in JSON."""
        await self._admit(context)
        return GetVersionResponse(version=json.dumps({"package": "gpu-market localnet"}))

    async def _admit(self, context: Context) -> None:
        if self._token is None:
            return
        given = dict(context.invocation_metadata() or ()).get(TOKEN, "")
        text = given if isinstance(given, str) else given.decode(errors="replace")
        if not hmac.compare_digest(text.encode(), self._token.encode()):
            await _abort(context, grpc.StatusCode.UNAUTHENTICATED, "No valid auth token")

    def _handlers(self) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
        return {
            SUBSCRIBE: grpc.stream_stream_rpc_method_handler(
                self.subscribe, SubscribeRequest.FromString, SubscribeUpdate.SerializeToString
            ),
            REPLAY_INFO: grpc.unary_unary_rpc_method_handler(
                self.replay_info, SubscribeReplayInfoRequest.FromString, SubscribeReplayInfoResponse.SerializeToString
            ),
            PING: grpc.unary_unary_rpc_method_handler(
                self.ping, PingRequest.FromString, PongResponse.SerializeToString
            ),
            GET_VERSION: grpc.unary_unary_rpc_method_handler(
                self.version, GetVersionRequest.FromString, GetVersionResponse.SerializeToString
            ),
        }


async def _abort(context: Context, code: grpc.StatusCode, details: str) -> NoReturn:
    await context.abort(code, details)
    raise AssertionError("abort raises")
