"""The built files and how they are served: what the manifest names, each with its media type and how long it keeps."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from starlette.types import Message

from indexer.api.http.compact import Representation

FOLDER = Path(__file__).parent / "built"
MANIFEST = Path(__file__).parent / "manifest.json"
INDEX = "index.html"
TERMINAL = "terminal.html"
"""The document of a job's terminal, in a frame of the page."""
ASSETS = "assets/"
"""Folder of files with the hash of their content in their names."""
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("script", "style", "font", "img", "connect")),
        *("frame-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"),
        "require-trusted-types-for 'script'",
        "trusted-types svelte-trusted-html",
    )
)
TERMINAL_POLICY = "; ".join(
    (
        *("default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "connect-src wss:"),
        *("base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'", "sandbox allow-scripts"),
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
"""Machines may be anywhere, so it may connect to any, and its emulator writes styles: it has no origin of its own, and
so neither the page's storage nor the API.
"""
SECURITY: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
OF_TERMINAL: Mapping[str, str] = {
    **SECURITY,
    "Content-Security-Policy": TERMINAL_POLICY,
    "X-Frame-Options": "SAMEORIGIN",
}
OF_ASSETS: Mapping[str, str] = {**SECURITY, "Access-Control-Allow-Origin": "*"}
"""Scripts for a document without an origin come by CORS; they are public."""
FOREVER = "public, max-age=31536000, immutable"
ALWAYS_ASKED = "no-cache"
TYPES: Mapping[str, str] = {".js": "text/javascript", ".woff2": "font/woff2", ".svg": "image/svg+xml"}
"""Those that not every system's table has alike."""


def built() -> Mapping[str, str]:
    """SHA-256 of each built file, by its path."""
    files: Mapping[str, str] = json.loads(MANIFEST.read_text())["files"]
    return files


def read_files() -> Mapping[str, Representation]:
    """Every built file as it is answered, by its path."""
    return {name: _representation(name) for name in built()}


def _representation(name: str) -> Representation:
    body = (FOLDER / name).read_bytes()
    told = {
        "Content-Type": _type(name),
        "Content-Length": str(len(body)),
        "Cache-Control": FOREVER if name.startswith(ASSETS) else ALWAYS_ASKED,
        **_security(name),
    }
    headers = [(key.lower().encode(), value.encode()) for key, value in told.items()]
    start: Message = {"type": "http.response.start", "status": 200, "headers": headers}
    return Representation(start, body)


def _security(name: str) -> Mapping[str, str]:
    if name == TERMINAL:
        return OF_TERMINAL
    return OF_ASSETS if name.startswith(ASSETS) else SECURITY


def _type(name: str) -> str:
    kind = TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
