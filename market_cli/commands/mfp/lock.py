"""Commands of `gpu-market mfp`."""

from __future__ import annotations

from rich.console import Group
from solders.pubkey import Pubkey

from anchor_client.generated.constants import BPS
from anchor_client.market import Market
from anchor_client.resources.mfp import MfpLock
from anchor_client.solana.transactions import Sent
from market_cli.acting import acting
from market_cli.commands.arguments import Amount, HostWallet
from market_cli.output import table
from market_cli.session import CliSession
from market_cli.units import withdrawable

PERCENT = BPS // 100


@acting
async def show(session: CliSession, address: HostWallet = None) -> None:
    """Show a host's GPU points, its lock and its remaining extra fee."""
    session.out.show(*await _read(session.market, session.owner(address)))


@acting
async def lock(session: CliSession, amount: Amount) -> None:
    """Lock market tokens. They count for new rentals immediately."""
    sent = await session.signing.mfp.lock(await session.market_token_units(amount))
    await _show_changed(session, sent, f"Locked {amount}.")


@acting
async def unlock(session: CliSession, amount: Amount) -> None:
    """Unlock market tokens. They stop counting immediately and can be withdrawn after a delay."""
    sent = await session.signing.mfp.unlock(await session.market_token_units(amount))
    await _show_changed(session, sent, f"Unlocking {amount}.")


@acting
async def withdraw(session: CliSession) -> None:
    """Withdraw unlocked tokens once the delay is over."""
    await _show_changed(session, await session.signing.mfp.withdraw(), "Withdrew the unlocked tokens.")


async def _show_changed(session: CliSession, sent: Sent, done: str) -> None:
    lock, rows = await _read(session.signing, session.wallet.pubkey)
    session.out.changed(sent, lock, done, rows)


async def _read(market: Market, host: Pubkey) -> tuple[MfpLock, Group]:
    lock = await market.mfp.get(host)
    now = await market.reads.now()
    token = await market.reads.denomination((await market.reads.market()).market_mint)
    rows = table("", "amount", "", numbers=("amount",))
    rows.add_row("locked", token.say(lock.locked), f"of {token.say(lock.required)}")
    if lock.unlock_at is not None:
        rows.add_row("unlocking", token.say(lock.unlocking), withdrawable(lock.unlock_at, now))
    for symbol, bps in lock.extra_fee_bps.items():
        rows.add_row("extra fee", f"{bps // PERCENT}.{bps % PERCENT:02} %", f"of orders paid in {symbol}")
    return lock, Group(f"{host}, {lock.points} GPU points", rows)
