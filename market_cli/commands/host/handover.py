"""`gpu-market host handover`."""

from __future__ import annotations

import os
from pathlib import Path

from host_agent.errors import HostConfigurationError
from host_agent.gateway.handle import DIRECTORY, GatewayHandle, served_listings
from market_cli.acting import acting
from market_cli.commands.host.arguments import StateDir
from market_cli.output import table
from market_cli.paths import agent_directory
from market_cli.session import CliSession


@acting
async def handover(
    session: CliSession,
    state_dir: StateDir = None,
) -> None:
    """Replace the gateways of running tenancies by ones of the installed version, after a security update.

    New connections get the new version immediately. Open ones stay with the old gateway until they or the tenancy end.
    """
    directory = agent_directory(state_dir) / DIRECTORY
    _require_own(directory)
    documents = []
    rows = table("listing", "job", "process", "connections left to the old one")
    for listing in served_listings(directory):
        gateway = GatewayHandle(directory, listing)
        earlier = await gateway.standing()
        if earlier is None:
            continue
        now = await gateway.hand_over()
        documents.append(
            {
                "listing": listing,
                "rental": now.place.rental,
                "pid": now.pid,
                "earlier_pid": earlier.pid,
                "connections_left": earlier.connections,
            }
        )
        rows.add_row(listing, now.place.rental, str(now.pid), str(earlier.connections))
    session.out.rows(documents, rows, none="No tenancy is served here.")


def _require_own(directory: Path) -> None:
    """HostConfigurationError for another user's gateways: the agent could not reach those that this one would start."""
    if directory.exists() and directory.stat().st_uid != os.geteuid():
        raise HostConfigurationError(
            f"The gateways of {directory} run as another user",
            f"Run this as {directory.owner()}; with the shipped unit: systemctl reload gpu-market-host.",
        )
