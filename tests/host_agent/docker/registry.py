"""A registry of images on this machine, whose images are made on the spot and which can fail to answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeAlias

from aiohttp import web

from tests.host_agent.docker.serving import serving

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
MANIFESTS = "application/vnd.docker.distribution.manifest.list.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
PATH = re.compile(r"/v2/(.+)/(manifests|blobs)/([^/]+)")
Answer: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


@dataclass
class Registry:
    """Gives each image by one manifest, or by a list of one platform, to anybody."""

    place: str = ""
    is_up: bool = True
    turned_away: int = 0
    manifests: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    gives_layers: asyncio.Event = field(default_factory=asyncio.Event)
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    """Other answers, for `manifests` or `blobs` of a name."""

    def add(self, name: str, files: bytes, architecture: str, *, listed: bool = False, env: Sequence[str] = ()) -> str:
        """Has an image of one layer under a name; returns what orders call it."""
        layer = gzip.compress(files, compresslevel=1, mtime=0)
        config = json.dumps(
            {
                "architecture": architecture,
                "os": "linux",
                "config": {"Cmd": ["/bin/sh"], "Env": [*env]},
                "rootfs": {"type": "layers", "diff_ids": [_digest(files)]},
            }
        ).encode()
        manifest = self.offer(name, self.part(CONFIG, config), [self.part(LAYER, layer)])
        if listed:
            found = self.part(MANIFEST, manifest) | {"platform": {"architecture": architecture, "os": "linux"}}
            self.put(
                name, MANIFESTS, json.dumps({"schemaVersion": 2, "mediaType": MANIFESTS, "manifests": [found]}).encode()
            )
        return f"{self.place}/{name}:1"

    def offer(self, name: str, config: dict[str, object], layers: list[dict[str, object]]) -> bytes:
        """Has an image of these parts under a name; returns its manifest."""
        parts = {"config": config, "layers": layers}
        manifest = json.dumps({"schemaVersion": 2, "mediaType": MANIFEST, **parts}).encode()
        self.put(name, MANIFEST, manifest)
        return manifest

    def part(self, kind: str, data: bytes) -> dict[str, object]:
        """Has a blob; returns how manifests name it."""
        self.blobs[_digest(data)] = data
        return {"mediaType": kind, "size": len(data), "digest": _digest(data)}

    def put(self, name: str, kind: str, data: bytes) -> None:
        """Has a manifest under a name."""
        for reference in ("1", _digest(data)):
            self.manifests[f"{name}/{reference}"] = kind, data

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if not self.is_up:
            self.turned_away += 1
            assert request.transport is not None
            request.transport.abort()
            raise asyncio.CancelledError
        asked = PATH.fullmatch(request.path)
        if asked is None:
            return web.Response()
        name, kind, reference = asked.groups()
        if (name, kind) in self.answers:
            return await self.answers[name, kind](request)
        if kind == "blobs":
            await self.gives_layers.wait()
            return web.Response(body=self.blobs[reference])
        if (found := self.manifests.get(f"{name}/{reference}")) is None:
            unknown = {"errors": [{"code": "MANIFEST_UNKNOWN", "message": "manifest unknown"}]}
            return web.json_response(unknown, status=404)
        media, data = found
        return web.Response(body=data, headers={"Content-Type": media, "Docker-Content-Digest": _digest(data)})


@asynccontextmanager
async def running() -> AsyncIterator[Registry]:
    """A registry at a port of this machine, to which engines speak plain HTTP."""
    registry = Registry()
    registry.gives_layers.set()
    async with serving(registry._answer) as registry.place:
        yield registry


def _digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"
