"""`gpu-market wallet show`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.amounts import tokens
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.wallet.balances import read_balances
from market_cli.output import table
from market_cli.session import Session


@acting
async def show(
    session: Session,
    address: Annotated[str | None, typer.Argument(help="Wallet address; default: yours.", show_default=False)] = None,
) -> None:
    """Show a wallet's address and balances."""
    owner = parse_address(address) if address else session.wallet.pubkey
    balances = await read_balances(session.market.reads.program, owner, session.settings.tokens)
    document = {
        "address": str(owner),
        "balances": [
            {
                "symbol": balance.symbol,
                "mint": str(balance.mint),
                "base_units": balance.base_units,
                "decimals": balance.decimals,
            }
            for balance in balances
        ],
    }
    rows = table(str(owner), "token", "balance", numbers=("balance",))
    for balance in balances:
        rows.add_row(balance.symbol, tokens(balance.base_units, balance.decimals))
    session.out.show(document, lambda console: console.print(rows))
