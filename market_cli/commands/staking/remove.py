"""`gpu-market staking remove`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.staking.render import Amount, amount_of, show_stake
from market_cli.session import Session


@acting
async def remove(session: Session, amount: Amount) -> None:
    """Unstake tokens, warming ones first. They stop counting at once and cool down for one epoch."""
    market = session.signing
    sent = await market.staking.unstake(await amount_of(session, amount))
    await show_stake(session, market, market.address, f"Unstaked {amount}; cooling down.", sent.signature)
