"""`gpu-market stake compound`."""

from __future__ import annotations

from cli.options import acting
from cli.session import Session
from cli.stakes import show_stake


@acting
async def compound(session: Session) -> None:
    """Stake the rewards earned in the market token."""
    market = session.signing
    sent = await market.compound()
    await show_stake(session, market, market.address, "The rewards are stake now.", sent.signature)
