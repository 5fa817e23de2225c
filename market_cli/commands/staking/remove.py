"""`gpu-market staking remove`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.staking.render import Amount, amount_of, show_stake
from market_cli.session import Session


@acting
async def remove(session: Session, amount: Amount) -> None:
    """Take stake out, warming stake first. It counts no more at once, and may leave after the length of an epoch."""
    market = session.signing
    sent = await market.unstake(await amount_of(session, amount))
    await show_stake(session, market, market.address, f"{amount} cool down.", sent.signature)
