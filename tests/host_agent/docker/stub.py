"""A stand-in for a Docker engine's API: it has every image, and starts containers or says why not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.host_agent.docker.serving import serving

IMPORTED = "sha256:00"
API = "1.43"


@dataclass
class StubEngine:
    """`refuses` are the images whose containers do not start, with status and message."""

    url: str = ""
    refuses: dict[str, tuple[int, str]] = field(default_factory=dict)
    never_makes: str = ""
    """Image whose containers it does not finish to create."""
    has_image: bool = True
    pull_fails: tuple[int, str] | None = None
    driver_status: list[list[str]] | None = None
    """Its storage driver's state, as its `info` has it."""
    image_env: list[str] = field(default_factory=list)
    containers: dict[str, dict[str, Any]] = field(default_factory=dict)
    created: list[Mapping[str, Any]] = field(default_factory=list)
    """Every container so far, in order."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One call of the API; most paths begin with its version."""
        kind, *rest = request.path.strip("/").removeprefix(f"v{API}/").split("/")
        act = getattr(self, f"_{kind}", None)
        found: web.StreamResponse = web.json_response({}) if act is None else await act(request, rest)
        return found

    async def _version(self, request: web.Request, rest: list[str]) -> web.Response:
        return web.json_response({"Arch": "amd64", "Os": "linux", "ApiVersion": API})

    async def _info(self, request: web.Request, rest: list[str]) -> web.Response:
        return web.json_response({"DockerRootDir": "/nowhere", "DriverStatus": self.driver_status})

    async def _networks(self, request: web.Request, rest: list[str]) -> web.Response:
        return web.json_response([] if request.method == "GET" else {"Id": "n"})

    async def _images(self, request: web.Request, rest: list[str]) -> web.Response:
        if request.method == "DELETE":
            return web.json_response([])
        if rest == ["create"]:
            if "fromSrc" in request.query:
                return web.Response(text=json.dumps({"status": IMPORTED}))
            if self.pull_fails is not None:
                return _failed(*self.pull_fails)
            return web.Response(text=json.dumps({"status": "Pull complete"}))
        if not self.has_image:
            return _failed(404, "No such image")
        image = {"Size": 1, "Architecture": "amd64", "Os": "linux", "Config": {"Env": self.image_env}}
        return web.json_response(image)

    async def _containers(self, request: web.Request, rest: list[str]) -> web.Response:
        if rest == ["json"]:
            return web.json_response(list(self.containers.values()))
        if rest == ["create"]:
            config = json.loads(await request.read())
            self.created.append(config)
            if config["Image"] == self.never_makes:
                await asyncio.Event().wait()
            name = request.query["name"]
            self.containers[name] = {
                **{"Id": name, "Labels": config["Labels"], "Image": config["Image"]},
                **{"State": "created", "Status": "Created"},
            }
            return web.json_response({"Id": name}, status=201)
        if request.method == "DELETE":
            self.containers.pop(rest[0], None)
        elif rest[1] == "json":
            return web.json_response({"HostConfig": {"Memory": 7}, "Config": {}})
        elif rest[1] == "start":
            return self._start(rest[0])
        elif rest[1] == "archive":
            if request.method == "HEAD":
                return _failed(404, "There is no such file")
            await request.read()
        return web.Response()

    def _start(self, name: str) -> web.Response:
        container = self.containers[name]
        refusal = self.refuses.get(container["Image"])
        if refusal is not None:
            return _failed(*refusal)
        container["State"] = "running"
        return web.Response(status=204)


def _failed(status: int, message: str) -> web.Response:
    body = json.dumps({"message": message}).encode()
    return web.Response(body=body, status=status, headers={"Content-Type": "application/json"})


@asynccontextmanager
async def stub_engine() -> AsyncIterator[StubEngine]:
    """An engine at a port of this machine."""
    stub = StubEngine()
    async with serving(stub.answer) as place:
        stub.url = f"tcp://{place}"
        yield stub
