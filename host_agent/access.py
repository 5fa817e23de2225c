"""A renter's access to their container during a tenancy."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Self

from host_agent.identity import MachineIdentity
from host_agent.settings import MachineSettings
from host_agent.ssh import Inside, RenterCredentials, TenantSshServer
from host_agent.web import Connect, HttpsPorts, TerminalServer


class TenantAccess:
    """SSH, the terminal for browsers, and HTTP ports; all of them or none."""

    def __init__(self, servers: AsyncExitStack) -> None:
        self._servers = servers

    @classmethod
    async def opened(
        cls,
        settings: MachineSettings,
        identity: MachineIdentity,
        credentials: RenterCredentials,
        inside: Inside,
        https: Mapping[int, int],
        connect: Connect,
    ) -> Self:
        """Listens at the machine's ports; `https` has one for each HTTP port of the container.

        MachineFault if one is taken.
        """
        tls = identity.tls.context
        bind = settings.bind
        async with AsyncExitStack() as servers:
            ssh = await TenantSshServer.listening(identity.ssh, bind, settings.ssh_port, credentials, inside)
            servers.push_async_callback(ssh.close)
            terminal = await TerminalServer.listening(tls, bind, settings.terminal_port, credentials, inside)
            servers.push_async_callback(terminal.close)
            ports = await HttpsPorts.listening(tls, bind, https, connect)
            servers.push_async_callback(ports.close)
            return cls(servers.pop_all())

    async def close(self) -> None:
        """Stops listening, and ends every connection."""
        await self._servers.aclose()
