"""HEAD wherever there is GET, and what a path allows where it refuses a method."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import TypeAlias

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

IS_HEAD = "gpu_market.is_head"
"""In a request's scope where nobody reads the body: an answer without an end is not begun then."""
Methods: TypeAlias = Set[str]
Described: TypeAlias = tuple[Mapping[str, Methods], Sequence[tuple[re.Pattern[str], Methods]]]
"""By path, of those without parameters, and by pattern, of all."""


class HeadAsGet:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        asked = {**scope, "method": "GET", IS_HEAD: True}
        try:
            await self._app(asked, receive, without_body)
        finally:
            # The router notes it in the copy that it gets, and the metrics are named after it.
            scope["route"] = asked.get("route")


class AllowedMethods:
    """Methods that each path of an application takes; several routes may share one."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._paths: Described | None = None

    def of(self, path: str) -> str:
        """The value of an Allow header."""
        exact, paths = self._described()
        allowed = exact.get(path) or {each for pattern, methods in paths if pattern.match(path) for each in methods}
        return ", ".join(sorted(allowed or {"GET", "HEAD"}))

    def excludes(self, method: str, path: str) -> bool:
        """True for a path that another route's pattern also fits, if its own route does not take the method."""
        exact, _ = self._described()
        return path in exact and method not in exact[path]

    def _described(self) -> Described:
        if self._paths is None:
            exact: defaultdict[str, set[str]] = defaultdict(set)
            patterns: defaultdict[re.Pattern[str], set[str]] = defaultdict(set)
            for route in self._app.routes:
                if isinstance(route, Route):
                    methods = _methods(route)
                    patterns[route.path_regex] |= methods
                    if not route.param_convertors:
                        exact[route.path] |= methods
            self._paths = exact, list(patterns.items())
        return self._paths


def _methods(route: Route) -> set[str]:
    methods = route.methods or set()
    return methods | {"HEAD"} if "GET" in methods else methods
