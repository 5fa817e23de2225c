"""A proxy between client and node that loses or changes what it is told to: requests, answers, or everything."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.processes.patience import PATIENCE


class Proxy:
    """An async context manager. `lose_requests` and `lose_answers` count how many of a method still get lost."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.lose_requests: Counter[str] = Counter()
        self.lose_answers: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.received: Counter[str] = Counter()
        """Bytes of the node's answers by method, of single calls."""
        self.statuses: dict[str, int] = {}
        self.answers: dict[str, Any] = {}
        self.bodies: defaultdict[str, list[str]] = defaultdict(list)
        """Bodies of answers with status 200, by method: sent one after the other in place of the node's."""
        self.changes: dict[str, Callable[[Any], Any]] = {}
        """Functions that change the node's results, by method."""
        self.sent: list[list[Any]] = []
        self.heard: list[str] = []
        """Method and parameters of every single call, in JSON."""
        self.port = 0
        self._called = asyncio.Condition()
        self._held: dict[str, asyncio.Event] = {}

    @property
    def url(self) -> str:
        """URL of the proxy."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._client = httpx.AsyncClient(timeout=PATIENCE)
        app = Starlette(routes=[Route("/{rest:path}", self._forward, methods=["POST"])])
        self._server = _Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
        self._task = asyncio.create_task(self._server.serve())
        await self._server.ready.wait()
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        await self._task
        await self._client.aclose()

    async def called(self, method: str, times: int) -> None:
        """Waits until a method has been called so often."""
        async with self._called:
            await self._called.wait_for(lambda: self.calls[method] >= times)

    @contextmanager
    def holding(self, method: str) -> Iterator[None]:
        """Answers no call of a method until the block ends."""
        self._held[method] = asyncio.Event()
        try:
            yield
        finally:
            self._held.pop(method).set()

    async def _forward(self, request: Request) -> Response:
        body = await request.body()
        call = json.loads(body)
        if isinstance(call, list):
            self.calls.update(each["method"] for each in call)
            answer = await self._client.post(self._target, content=body, headers={"Content-Type": "application/json"})
            return Response(answer.content, media_type="application/json")
        method = call["method"]
        self.heard.append(json.dumps([method, call["params"]]))
        async with self._called:
            self.calls[method] += 1
            self._called.notify_all()
        if method in self._held:
            await self._held[method].wait()
        if method == "sendTransaction":
            self.sent.append(call["params"])
        if method in self.statuses:
            return Response(status_code=self.statuses[method])
        if method in self.answers:
            return JSONResponse({"jsonrpc": "2.0", "id": call["id"]} | self.answers[method])
        if self.bodies[method]:
            return Response(self.bodies[method].pop(0), media_type="text/html")
        if self.lose_requests[method] > 0:
            self.lose_requests[method] -= 1
            return Response(status_code=503)
        answer = await self._client.post(self._target, content=body, headers={"Content-Type": "application/json"})
        self.received[method] += len(answer.content)
        if self.lose_answers[method] > 0:
            self.lose_answers[method] -= 1
            return Response(status_code=503)
        if method in self.changes:
            return JSONResponse({**answer.json(), "result": self.changes[method](answer.json()["result"])})
        return Response(answer.content, media_type="application/json")


class _Server(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()
