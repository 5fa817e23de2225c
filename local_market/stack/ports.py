"""Ports on loopback, checked before anything starts."""

from __future__ import annotations

import socket

from local_market.errors import PortTaken

LOOPBACK = "127.0.0.1"


def require_free(port: int, what: str) -> int:
    """The port, or any free one for 0. PortTaken, naming what it is for."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
        except OSError:
            raise PortTaken(f"Port {port} is taken, which the {what} needs") from None
        number: int = listener.getsockname()[1]
        return number
