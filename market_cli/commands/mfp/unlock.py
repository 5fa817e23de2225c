"""`gpu-market mfp unlock`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.mfp.render import show_lock
from market_cli.commands.staking.render import Amount
from market_cli.session import Session


@acting
async def unlock(session: Session, amount: Amount) -> None:
    """Unlock market tokens. They stop counting at once and can be withdrawn after a delay."""
    market, currencies = session.signing, await session.currencies()
    mint = (await market.reads.market()).market_mint
    sent = await market.mfp.unlock(currencies.base_units(mint, amount))
    await show_lock(session, market, market.address, f"Unlocking {amount}.", sent.signature)
