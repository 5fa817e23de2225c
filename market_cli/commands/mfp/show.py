"""`gpu-market mfp show`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.mfp.render import show_lock
from market_cli.session import Session


@acting
async def show(
    session: Session,
    address: Annotated[str | None, typer.Argument(help="Host wallet; default: yours.", show_default=False)] = None,
) -> None:
    """Show a host's GPU points, its lock and its remaining extra fee."""
    host = parse_address(address) if address else session.wallet.pubkey
    await show_lock(session, session.market, host)
