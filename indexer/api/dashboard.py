"""GET / and all that browsers ask for where the API has no route: the dashboard."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from indexer.dashboard.files import INDEX, read_files

APART = ("/api/", "/assets/")
"""Prefixes of paths that have no page."""
HTML = "text/html"


class Dashboard:
    """Answers the built files by their paths, and the page to requests for HTML; leaves the rest to `otherwise`."""

    def __init__(self, otherwise: ASGIApp) -> None:
        self._otherwise = otherwise
        self._files = read_files()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers GET."""
        if scope["type"] == "http" and scope["method"] == "GET":
            headers = Headers(scope=scope)
            path = scope["path"]
            found = self._files.get(path[1:] or INDEX)
            if found is None and HTML in headers.get("accept", "") and not path.startswith(APART):
                found = self._files[INDEX]
            if found is not None:
                await found.send(scope, send)
                return
        await self._otherwise(scope, receive, send)
