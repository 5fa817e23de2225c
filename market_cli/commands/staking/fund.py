"""`gpu-market staking fund`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.session import Session


@acting
async def fund(
    session: Session,
    amount: Annotated[str, typer.Argument(help="Amount, such as 100 or 0.5.")],
    token: Annotated[str, typer.Option("--token", help="GPUM, USDC or SOL.")] = "GPUM",
) -> None:
    """Fund rewards for all stakers, distributed over the next epoch."""
    currencies = await session.currencies()
    mint = currencies.symbols.mint(token)
    base_units = currencies.base_units(mint, amount)
    sent = await session.signing.staking.fund(token, base_units)
    document = {"mint": str(mint), "amount": base_units, "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print(f"Funded {currencies.say(mint, base_units)} of rewards."))
