"""Commands of `gpu-market staking` for rewards."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.staking.stake import show_changed
from market_cli.session import CliSession
from market_cli.units import base_units


@acting
async def claim(
    session: CliSession,
    token: Annotated[
        str | None, typer.Argument(help="Claim only this token: GPUM, USDC or SOL; default: all.", show_default=False)
    ] = None,
) -> None:
    """Claim the rewards of ended epochs. SOL is unwrapped."""
    market = session.signing
    reads = session.market.reads
    before = (await market.staking.get(market.address)).pending
    if token is None:
        sent = await market.staking.claim_all()
    else:
        sent = [await market.staking.claim(token)]
    after = (await market.staking.get(market.address)).pending
    claimed = {symbol: amount - after.get(symbol, 0) for symbol, amount in before.items()}
    claimed = {symbol: amount for symbol, amount in claimed.items() if amount > 0}
    symbols = await reads.tokens()
    said = [(await reads.denomination(symbols.mint(name))).say(amount) for name, amount in claimed.items()]
    told = {symbol: str(amount) for symbol, amount in claimed.items()}
    session.out.show(
        {"claimed": told, "transactions": [str(one.signature) for one in sent]}, f"Claimed {', '.join(said)}."
    )


@acting
async def compound(session: CliSession) -> None:
    """Stake your rewards in the market token."""
    await show_changed(session, await session.signing.staking.compound(), "Staked the rewards.")


@acting
async def fund(
    session: CliSession,
    amount: Annotated[str, typer.Argument(help="Amount, such as 100 or 0.5.")],
    token: Annotated[str, typer.Option("--token", help="GPUM, USDC or SOL.")] = "GPUM",
) -> None:
    """Fund rewards for all stakers, distributed over the next epoch."""
    reads = session.market.reads
    mint = (await reads.tokens()).mint(token)
    known = await reads.denomination(mint)
    funded = base_units(amount, known.decimals)
    sent = await session.signing.staking.fund(token, funded)
    session.out.sent(sent, f"Funded {known.say(funded)} of rewards.", mint=str(mint), amount=str(funded))
