"""The methods of the service `geyser.Geyser` that are used here."""

from __future__ import annotations

from typing import Final

SERVICE: Final = "geyser.Geyser"
SUBSCRIBE: Final = "Subscribe"
PING: Final = "Ping"
GET_VERSION: Final = "GetVersion"
REPLAY_INFO: Final = "SubscribeReplayInfo"
TOKEN: Final = "x-token"
"""The header that has a client's token."""


def path(method: str) -> str:
    """Full path of a method in gRPC."""
    return f"/{SERVICE}/{method}"
