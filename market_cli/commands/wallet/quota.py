"""`gpu-market wallet quota`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from anchor_client.amounts import usd
from anchor_client.rules.catalog import REGION_BY_ID
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
    found = await session.market.reads.quota(owner)
    currencies = await session.currencies()
    stake = currencies.say(currencies.symbols.mint(MARKET_TOKEN), found.stake)
    regions = {
        REGION_BY_ID[number].slug if number in REGION_BY_ID else str(number): used
        for number, used in found.region_used.items()
    }
    document = {
        "address": str(owner),
        "limit": found.limit,
        "used": found.used,
        "region_limit": found.region_limit,
        "regions": regions,
        "stake": found.stake,
        "spent_usd_micro": found.spent_usd,
        "by_stake": found.by_stake,
        "by_spend": found.by_spend,
    }
    rows = table(str(owner), "where", "rentals", "limit", numbers=("rentals", "limit"))
    rows.add_row("everywhere", str(found.used), str(found.limit))
    for slug, used in regions.items():
        rows.add_row(slug, str(used), str(found.region_limit))

    def say(console: Console) -> None:
        console.print(rows)
        console.print(f"including {found.by_stake} for {stake} of active stake")
        console.print(f"and {found.by_spend} for {usd(found.spent_usd)} spent")

    session.out.show(document, say)
