"""`gpu-market host heartbeat`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.session import Session


@acting
async def heartbeat(
    session: Session,
    listings: Annotated[
        list[str] | None, typer.Argument(help="Listings that are online; default: all of yours.", show_default=False)
    ] = None,
) -> None:
    """Send heartbeats. Once a minute, from cron or a timer, keeps machines online."""
    named = [parse_address(listing) for listing in listings] if listings else None
    sent = await session.signing.host.heartbeat(named)
    document = {"transactions": [str(one.signature) for one in sent]}
    text = f"Heartbeat in {len(sent)} transaction(s)." if sent else "No listings to keep online."
    session.out.show(document, lambda console: console.print(text))
