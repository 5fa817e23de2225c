"""Where a node serves what."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from anchor_client.errors.network import WrongEndpoint
from anchor_client.redaction import redact


def is_http_url(url: str) -> bool:
    """Whether a node could be asked at a URL."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def websocket_url(rpc_url: str) -> str:
    """Where a node serves subscriptions: on a bare port the next one, else the same address. WrongEndpoint."""
    try:
        parts = urlsplit(rpc_url)
        port = parts.port
    except ValueError as error:
        raise WrongEndpoint(f"{redact(rpc_url)!r} is not a URL of an RPC node") from error
    scheme = "wss" if parts.scheme == "https" else "ws"
    host = parts.netloc if port is None else f"{parts.netloc.rpartition(':')[0]}:{port + 1}"
    return urlunsplit((scheme, host, parts.path, parts.query, ""))
