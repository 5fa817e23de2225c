"""URLs of nodes. Several nodes are written as one text: their URLs, separated by commas."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from anchor_client.service.redaction import redact, urls_of
from anchor_client.solana.errors import WrongEndpoint


def websocket_url(rpc_urls: str) -> str:
    """URLs of the nodes' subscriptions: on a bare port the next one, else the same address. WrongEndpoint."""
    return ",".join(map(_websocket_url, urls_of(rpc_urls)))


def _websocket_url(rpc_url: str) -> str:
    try:
        parts = urlsplit(rpc_url)
        port = parts.port
    except ValueError as error:
        raise WrongEndpoint(f"{redact(rpc_url)!r} is not a URL of an RPC node") from error
    scheme = "wss" if parts.scheme == "https" else "ws"
    if port is None:
        host = parts.netloc
    else:
        host = f"{parts.netloc.rpartition(':')[0]}:{port + 1}"
    return urlunsplit((scheme, host, parts.path, parts.query, ""))
