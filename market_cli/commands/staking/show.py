"""`gpu-market staking show`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.staking.render import show_stake
from market_cli.session import Session


@acting
async def show(
    session: Session,
    address: Annotated[str | None, typer.Argument(help="Wallet address; default: yours.", show_default=False)] = None,
) -> None:
    """Show a wallet's stake and claimable rewards."""
    owner = parse_address(address) if address else session.wallet.pubkey
    await show_stake(session, session.market, owner)
