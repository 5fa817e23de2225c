"""`gpu-market staking close`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.session import Session


@acting
async def close(session: Session) -> None:
    """Close the wallet's empty stake account and reclaim its rent."""
    market = session.signing
    sent = await market.staking.close()
    document = {"owner": str(market.address), "tx": str(sent.signature)}
    session.out.show(document, lambda console: console.print("Closed the stake account and reclaimed its rent."))
