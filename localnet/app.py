"""The ASGI application: JSON-RPC by POST, PubSub by WebSocket, on one path."""

import asyncio
from collections.abc import Collection, Iterable
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from localnet.cluster import Cluster
from localnet.pages import OwnPages, for_page
from localnet.pubsub.connection import PubsubConnection
from localnet.pubsub.hub import Hub
from localnet.quirks import node_kind
from localnet.rpc.envelope import answer
from localnet.rpc.methods import RPC

MAX_BODY_BYTES = 50 * 1024
TRY_AGAIN_LATER = 1013
CLIENT_CLOSED_REQUEST = 499
JSON = "application/json; charset=utf-8"


def create_app(cluster: Cluster, quirks: Iterable[str] = (), pages: Collection[str] | None = None) -> Starlette:
    """The application for a cluster, to be run on the cluster's own thread; `quirks` as `localnet --as` names them.
    `pages` are the origins of the only web pages that it answers, beside wallets; pages of any origin by default."""
    hub = Hub(cluster)
    node = node_kind(cluster, partial(RPC.call, cluster), MAX_BODY_BYTES, quirks)

    async def post(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            text = "Supplied content type is not allowed. Content-Type: application/json is required\n"
            return PlainTextResponse(text, 415)
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=CLIENT_CLOSED_REQUEST)  # the client has gone
        if len(body) > node.max_body_bytes:
            return PlainTextResponse("Payload too large\n", 413)
        response = answer(
            node.call if "origin" not in request.headers else for_page(node.call, request.headers["origin"]),
            body,
            node.max_batch,
        )
        return Response(response + "\n" if response else "", media_type=JSON)

    async def refuse(request: Request) -> Response:
        return PlainTextResponse("Used HTTP Method is not allowed. POST or OPTIONS is required\n", 405)

    async def health(request: Request) -> Response:
        return PlainTextResponse("ok")

    async def subscribe(socket: WebSocket) -> None:
        await socket.accept()
        await _converse(socket, PubsubConnection(hub))

    return Starlette(
        routes=[
            Route("/", post, methods=["POST"]),
            Route("/", refuse, methods=["GET", "PUT", "DELETE", "PATCH"]),
            Route("/health", health),
            WebSocketRoute("/", subscribe),
        ],
        middleware=[Middleware(OwnPages, pages)],
    )


async def _converse(socket: WebSocket, connection: PubsubConnection) -> None:
    """Runs until the client leaves, or does not keep up with what it subscribed to."""
    reading = asyncio.create_task(_read(socket, connection))
    writing = asyncio.create_task(_write(socket, connection))
    overflow = asyncio.create_task(connection.overflowed.wait())
    tasks = (reading, writing, overflow)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if connection.overflowed.is_set():
            await socket.close(TRY_AGAIN_LATER, "subscriber does not keep up")
    finally:
        connection.close()
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
            raise result


async def _read(socket: WebSocket, connection: PubsubConnection) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        connection.receive(message.get("text") or message.get("bytes") or "")


async def _write(socket: WebSocket, connection: PubsubConnection) -> None:
    while True:
        await socket.send_text(await connection.outgoing.get())
