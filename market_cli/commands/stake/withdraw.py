"""`gpu-market stake withdraw`."""

from __future__ import annotations

from market_cli.options import acting
from market_cli.session import Session
from market_cli.stakes import show_stake


@acting
async def withdraw(session: Session) -> None:
    """Take back all stake that has cooled down."""
    market = session.signing
    sent = await market.withdraw_stake()
    await show_stake(session, market, market.address, "What had cooled down is back in the wallet.", sent.signature)
