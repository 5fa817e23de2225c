"""`gpu-market staking claim`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.session import Session


@acting
async def claim(
    session: Session,
    token: Annotated[
        str | None, typer.Argument(help="Claim only this token: GPUM, USDC or SOL; default: all.", show_default=False)
    ] = None,
) -> None:
    """Claim the rewards of ended epochs. SOL is unwrapped."""
    market = session.signing
    before = (await market.staking.get(market.address)).pending
    sent = await market.staking.claim_all() if token is None else [await market.staking.claim(token)]
    after = (await market.staking.get(market.address)).pending
    claimed = {symbol: amount - after.get(symbol, 0) for symbol, amount in before.items()}
    claimed = {symbol: amount for symbol, amount in claimed.items() if amount > 0}
    currencies = await session.currencies()
    said = ", ".join(currencies.say(currencies.symbols.mint(symbol), amount) for symbol, amount in claimed.items())
    document = {"claimed": claimed, "transactions": [str(one.signature) for one in sent]}
    session.out.show(document, lambda console: console.print(f"Claimed {said}."))
