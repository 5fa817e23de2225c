"""`gpu-market wallet quota`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from anchor_client.amounts import usd
from anchor_client.resources.quota import WalletQuota
from anchor_client.tokens import MARKET_TOKEN
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import Session


@acting
async def quota(
    session: Session,
    address: Annotated[str | None, typer.Argument(help="Wallet address; default: yours.", show_default=False)] = None,
) -> None:
    """Show a wallet's quota of simultaneous rentals and how much of it is used."""
    owner = parse_address(address) if address else session.wallet.pubkey
    found = WalletQuota.of(owner, await session.market.reads.quota(owner))
    currencies = await session.currencies()
    stake = currencies.say(currencies.symbols.mint(MARKET_TOKEN), found.stake)
    rows = table(str(owner), "where", "rentals", "limit", numbers=("rentals", "limit"))
    rows.add_row("everywhere", str(found.used), str(found.limit))
    for each in found.regions:
        rows.add_row(each.region, str(each.used), str(found.region_limit))

    def say(console: Console) -> None:
        console.print(rows)
        console.print(f"including {found.by_stake} for {stake} of active stake")
        console.print(f"and {found.by_spend} for {usd(found.spent_usd)} spent")

    session.out.show(found, say)
