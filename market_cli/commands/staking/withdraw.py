"""`gpu-market staking withdraw`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.staking.render import show_stake
from market_cli.session import Session


@acting
async def withdraw(session: Session) -> None:
    """Withdraw all stake that has cooled down."""
    market = session.signing
    sent = await market.staking.withdraw()
    await show_stake(session, market, market.address, "Withdrew the cooled-down stake.", sent.signature)
