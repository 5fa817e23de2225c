"""`gpu-market mfp withdraw`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.mfp.render import show_lock
from market_cli.session import Session


@acting
async def withdraw(session: Session) -> None:
    """Withdraw unlocked tokens once the delay is over."""
    market = session.signing
    sent = await market.mfp.withdraw()
    await show_lock(session, market, market.address, "Withdrew the unlocked tokens.", sent.signature)
