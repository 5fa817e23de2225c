"""`gpu-market mfp lock`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.mfp.render import show_lock
from market_cli.commands.staking.render import Amount
from market_cli.session import Session


@acting
async def lock(session: Session, amount: Amount) -> None:
    """Lock market tokens. They count for new rentals at once."""
    market, currencies = session.signing, await session.currencies()
    mint = (await market.reads.market()).market_mint
    sent = await market.mfp.lock(currencies.base_units(mint, amount))
    await show_lock(session, market, market.address, f"Locked {amount}.", sent.signature)
