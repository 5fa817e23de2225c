"""`gpu-market host approve`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.session import Session


@acting
async def approve(
    session: Session,
    authority: Annotated[str, typer.Argument(metavar="WALLET", help="The host's wallet.")],
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the approval.")] = False,
) -> None:
    """Approve a host to list machines. Market authority only; on a local market its key is keys/authority.json."""
    sent = await session.signing.host.approve(parse_address(authority), approved=not revoke)
    document = {"authority": authority, "approved": not revoke, "tx": str(sent.signature)}
    text = f"{authority} may {'no longer ' if revoke else ''}list machines."
    session.out.show(document, lambda console: console.print(text))
