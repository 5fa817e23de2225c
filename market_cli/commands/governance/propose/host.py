"""`gpu-market governance propose host`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import ActionApproveHost
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.session import Session


@acting
async def host(
    session: Session,
    wallet: Annotated[str, typer.Argument(help="Wallet of a registered host.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the approval.")] = False,
    title: Title = "",
) -> None:
    """Approve a host to list machines."""
    authority = parse_address(wallet)
    await session.market.reads.host(authority)
    address = find_host(authority, session.settings.program_id)[0]
    await propose(session, ActionApproveHost(address, approved=not revoke), title)
