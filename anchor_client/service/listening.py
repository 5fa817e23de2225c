"""Listening sockets."""

from __future__ import annotations

import socket

KEEP_ALIVE_SECONDS = 75
"""Time after which a server closes an idle connection: later than clients (httpx: 5) and proxies (nginx: 60) do,
which would otherwise send into one that is being closed."""


def listen(host: str, port: int) -> socket.socket:
    """A TCP socket bound to an address; OSError when it is taken.

    The protocol is named, because asyncio turns Nagle's algorithm off only then.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener
