"""The HTTP ports of one tenancy."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Self

from host_agent.network.doors import GuardedSocket, bound
from host_agent.web import relay
from host_agent.web.relay import Connect, TlsRelay


class HttpsPorts:
    """Every HTTP port of one tenancy, served with TLS on a port of the machine."""

    def __init__(self, relays: Sequence[TlsRelay]) -> None:
        self._relays = relays

    @classmethod
    async def listening(cls, context: ssl.SSLContext, bind: str, ports: Mapping[int, int], connect: Connect) -> Self:
        """Listens on the machine's port for each of the container's. MachineFault if one is taken."""
        return await cls.serving(context, bound_ports(bind, ports), connect)

    @classmethod
    async def serving(cls, context: ssl.SSLContext, listeners: Mapping[int, GuardedSocket], connect: Connect) -> Self:
        """Serves sockets, which are its own from now on, each for a port of the container."""
        return cls([await TlsRelay.serving(context, each, connect, port) for port, each in listeners.items()])

    def stop_listening(self) -> None:
        """Leaves new clients to another server at the same sockets; connections stay."""
        for each in self._relays:
            each.stop_listening()

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        for each in self._relays:
            await each.close()


def bound_ports(bind: str, ports: Mapping[int, int]) -> Mapping[int, GuardedSocket]:
    """Sockets at the machine's port for each of the container's. MachineFault if one is taken."""
    with ExitStack() as stack:
        found = {}
        for port, public in ports.items():
            found[port] = stack.enter_context(bound(relay.PROTOCOL, bind, public, relay.MOST_CONNECTIONS))
        stack.pop_all()
    return found
