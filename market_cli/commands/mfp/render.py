"""MFP locks for people and programs."""

from __future__ import annotations

from typing import Any

from solders.pubkey import Pubkey

from anchor_client.generated.constants import BPS
from anchor_client.market import Market, MfpStatus
from market_cli.output import table
from market_cli.session import Session
from market_cli.units import duration

PERCENT = BPS // 100


async def show_lock(session: Session, market: Market, host: Pubkey, done: str = "", tx: object = None) -> None:
    """Prints the host's current lock, after the outcome of a transaction, if any."""
    status, currencies, now = await market.mfp.get(host), await session.currencies(), await market.reads.now()
    mint = (await market.reads.market()).market_mint
    rows = table(f"{host}, {status.points} GPU points", "", "amount", "", numbers=("amount",))
    rows.add_row("locked", currencies.say(mint, status.locked), f"of {currencies.say(mint, status.required)}")
    if status.unlocking:
        wait = status.unlock_at - now
        when = f"withdrawable in {duration(wait)}" if wait > 0 else "withdrawable"
        rows.add_row("unlocking", currencies.say(mint, status.unlocking), when)
    for symbol, bps in status.extra_fee_bps.items():
        rows.add_row("extra fee", f"{bps // PERCENT}.{bps % PERCENT:02} %", f"of orders paid in {symbol}")
    document = {**lock_document(status, host), **({"tx": str(tx)} if tx is not None else {})}
    session.out.show(document, lambda console: console.print(*([done] if done else []), rows, sep="\n"))


def lock_document(status: MfpStatus, host: Pubkey) -> dict[str, Any]:
    """A lock for programs: base units, unix seconds, basis points by symbol."""
    return {
        "host": str(host),
        "points": status.points,
        "locked": status.locked,
        "required": status.required,
        "unlocking": status.unlocking,
        "unlock_at": status.unlock_at if status.unlocking else None,
        "extra_fee_bps": dict(status.extra_fee_bps),
    }
