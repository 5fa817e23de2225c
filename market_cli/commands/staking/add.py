"""`gpu-market staking add`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.staking.render import Amount, amount_of, show_stake
from market_cli.session import Session


@acting
async def add(session: Session, amount: Amount) -> None:
    """Stake market tokens. They become active when the current epoch ends."""
    market = session.signing
    sent = await market.staking.stake(await amount_of(session, amount))
    await show_stake(session, market, market.address, f"Staked {amount}.", sent.signature)
