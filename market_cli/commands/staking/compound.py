"""`gpu-market staking compound`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.staking.render import show_stake
from market_cli.session import Session


@acting
async def compound(session: Session) -> None:
    """Stake your rewards in the market token."""
    market = session.signing
    sent = await market.staking.compound()
    await show_stake(session, market, market.address, "Staked the rewards.", sent.signature)
