"""A renter's access to their container during a tenancy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from typing import Final, Protocol, Self

from host_agent.identity import MachineIdentity
from host_agent.network.doors import GuardedSocket, bound
from host_agent.ssh import Inside, RenterCredentials, TenantSshServer, server
from host_agent.web import Connect, HttpsPorts, TerminalServer, relay, terminal
from host_agent.web.ports import bound_ports

TURNS: Final = 3
"""Turns of the event loop after which each accepted connection is a server's: one that closes earlier would lose it."""


@dataclass(frozen=True, slots=True)
class TenantPorts:
    """Ports of the machine for one tenancy; `https` has one for each HTTP port of the container."""

    bind: str
    ssh: int
    terminal: int
    https: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class TenantSockets:
    """The sockets at which those listen."""

    ssh: GuardedSocket
    terminal: GuardedSocket
    https: Mapping[int, GuardedSocket]

    def __iter__(self) -> Iterator[GuardedSocket]:
        return iter((self.ssh, self.terminal, *self.https.values()))

    @classmethod
    def bound(cls, ports: TenantPorts) -> Self:
        """All of them, or none. MachineFault if a port is taken."""
        with ExitStack() as stack:
            ssh = stack.enter_context(bound(server.PROTOCOL, ports.bind, ports.ssh, server.MOST_CONNECTIONS))
            shell = stack.enter_context(bound(terminal.PROTOCOL, ports.bind, ports.terminal, terminal.MOST_CONNECTIONS))
            https = bound_ports(ports.bind, ports.https)
            stack.pop_all()
        return cls(ssh, shell, https)

    @classmethod
    def taken_over(cls, descriptors: Sequence[int], ports: TenantPorts) -> Self:
        """Those of another process, in the order of iteration."""
        ssh, shell, *https = descriptors
        return cls(
            GuardedSocket.taken_over(ssh, server.MOST_CONNECTIONS),
            GuardedSocket.taken_over(shell, terminal.MOST_CONNECTIONS),
            {
                port: GuardedSocket.taken_over(each, relay.MOST_CONNECTIONS)
                for port, each in zip(ports.https, https, strict=True)
            },
        )


class _Part(Protocol):
    def stop_listening(self) -> None: ...


class TenantAccess:
    """SSH, the terminal for browsers, and HTTP ports; all of them or none."""

    def __init__(self, sockets: TenantSockets, parts: Sequence[_Part], servers: AsyncExitStack) -> None:
        self._sockets = sockets
        self._parts = parts
        self._servers = servers

    @classmethod
    async def opened(
        cls,
        sockets: TenantSockets,
        identity: MachineIdentity,
        credentials: RenterCredentials,
        inside: Inside,
        connect: Connect,
    ) -> Self:
        """Serves at sockets, which are its own from now on."""
        async with AsyncExitStack() as servers:
            tls = identity.tls.context
            ssh = await TenantSshServer.serving(identity.ssh, sockets.ssh, credentials, inside)
            servers.push_async_callback(ssh.close)
            terminal = await TerminalServer.serving(tls, sockets.terminal, credentials, inside)
            servers.push_async_callback(terminal.close)
            https = await HttpsPorts.serving(tls, sockets.https, connect)
            servers.push_async_callback(https.close)
            return cls(sockets, (ssh, terminal, https), servers.pop_all())

    @property
    def connections(self) -> int:
        """Number of open connections, logged in or not."""
        return sum(each.connections for each in self._sockets)

    async def stop_listening(self) -> None:
        """Leaves new clients to another process with the same sockets; connections stay."""
        for each in self._sockets:
            each.stop_accepting()
        for _ in range(TURNS):
            await asyncio.sleep(0)
        for part in self._parts:
            part.stop_listening()

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        await self._servers.aclose()
