"""The HTTP ports of one tenancy."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Self

from host_agent.web.relay import Connect, TlsRelay


class HttpsPorts:
    """Every HTTP port of one tenancy, served with TLS on a port of the machine."""

    def __init__(self, relays: Sequence[TlsRelay]) -> None:
        self._relays = relays

    @classmethod
    async def listening(cls, context: ssl.SSLContext, bind: str, ports: Mapping[int, int], connect: Connect) -> Self:
        """Listens on the machine's port for each of the container's. MachineFault if one is taken."""
        async with AsyncExitStack() as stack:
            relays = []
            for port, public in ports.items():
                relay = await TlsRelay.listening(context, bind, public, connect, port)
                stack.push_async_callback(relay.close)
                relays.append(relay)
            stack.pop_all()
        return cls(relays)

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        for relay in self._relays:
            await relay.close()
