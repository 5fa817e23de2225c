"""`gpu-market request list`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.request.render import requests_table
from market_cli.session import Session


@acting
async def list_requests(
    session: Session,
    renter: Annotated[
        str | None, typer.Option("--renter", help="Wallet address; default: yours.", show_default=False)
    ] = None,
) -> None:
    """Show your open requests, newest first."""
    owner = parse_address(renter) if renter else session.wallet.pubkey
    found = await session.market.request.list(owner)
    session.out.show(
        found,
        lambda console: console.print(requests_table(found) if found else "No open requests."),
    )
