"""Stake for people and programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.market import Market, StakeStatus
from market_cli.currencies import Currencies
from market_cli.output import table
from market_cli.session import Session
from market_cli.units import duration

Amount = Annotated[str, typer.Argument(help="Amount of market tokens, such as 2500 or 0.5.")]


async def amount_of(session: Session, text: str) -> int:
    """Base units of the market token from what people wrote. BadAmount, NoPool."""
    pool = await session.market.reads.pool()
    return (await session.currencies()).base_units(pool.mint, text)


async def show_stake(session: Session, market: Market, owner: Pubkey, done: str = "", tx: object = None) -> None:
    """Prints the wallet's current stake, after the outcome of a transaction, if any."""
    status, currencies = await market.staking.get(owner), await session.currencies()
    mint = (await market.reads.market()).market_mint
    document = {**stake_document(status), **({"tx": str(tx)} if tx is not None else {})}
    rows = stake_table(status, currencies, mint)
    session.out.show(document, lambda console: console.print(*([done] if done else []), rows, sep="\n"))


def stake_document(status: StakeStatus) -> dict[str, Any]:
    """A stake for programs: base units, unix seconds."""
    holding = status.holding
    return {
        "owner": str(status.owner),
        "epoch": status.epoch,
        "epoch_ends_at": status.epoch_ends_at,
        "active": holding.active,
        "warming": holding.warming,
        "warm_at": holding.warm_at if holding.warming else None,
        "cooling": holding.cooling,
        "cool_at": holding.cool_at if holding.cooling else None,
        "withdrawable": holding.withdrawable(status.now),
        "voting_until": holding.voting_until if holding.voting_until > status.now else None,
        "pending": dict(status.owed),
        "coming": dict(status.coming),
    }


def stake_table(status: StakeStatus, currencies: Currencies, mint: Pubkey) -> Table:
    """A stake for people."""
    holding = status.holding
    left = duration(max(status.epoch_ends_at - status.now, 0))
    rows = table(f"{status.owner}, epoch {status.epoch} ends in {left}", "", "amount", "", numbers=("amount",))
    rows.add_row("active", currencies.say(mint, holding.active), "earns rewards; counts for fees, quotas and votes")
    if holding.warming:
        rows.add_row("warming up", currencies.say(mint, holding.warming), f"active in {left}")
    if holding.cooling:
        wait = holding.cool_at - status.now
        when = f"withdrawable in {duration(wait)}" if wait > 0 else "withdrawable"
        rows.add_row("cooling down", currencies.say(mint, holding.cooling), when)
    _add_rewards(rows, currencies, status.owed, "claimable")
    _add_rewards(rows, currencies, status.coming, f"claimable in {left}")
    return rows


def _add_rewards(rows: Table, currencies: Currencies, rewards: Mapping[str, int], when: str) -> None:
    for symbol, amount in rewards.items():
        rows.add_row("reward", currencies.say(currencies.symbols.mint(symbol), amount), when)
