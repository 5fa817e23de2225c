"""Stake for people and programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer
from rich.table import Table
from solders.pubkey import Pubkey

from anchor_client.amounts import tokens
from anchor_client.market import Market
from anchor_client.resources.stake import Stake
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
    stake, currencies, now = await market.staking.get(owner), await session.currencies(), await market.reads.now()
    mint = (await market.reads.market()).market_mint
    document = stake if tx is None else stake.model_dump(mode="json") | {"tx": str(tx)}
    rows = stake_table(stake, now, lambda amount: currencies.say(mint, amount))
    session.out.show(document, lambda console: console.print(*([done] if done else []), rows, sep="\n"))


def stake_table(stake: Stake, now: int, say: Callable[[int], str]) -> Table:
    """A stake for people; `say` writes amounts of the market token."""
    left = duration(max(stake.epoch_ends_at - now, 0))
    rows = table(f"{stake.owner}, epoch {stake.epoch} ends in {left}", "", "amount", "", numbers=("amount",))
    rows.add_row("active", say(stake.active), "earns rewards; counts for fees, quotas and votes")
    if stake.warming:
        rows.add_row("warming up", say(stake.warming), f"active in {left}")
    if stake.cool_at is not None:
        wait = stake.cool_at - now
        when = f"withdrawable in {duration(wait)}" if wait > 0 else "withdrawable"
        rows.add_row("cooling down", say(stake.cooling), when)
    for amounts, when in (("pending", "claimable"), ("coming", f"claimable in {left}")):
        for reward in stake.rewards:
            if amount := getattr(reward, amounts):
                rows.add_row("reward", tokens(amount, reward.decimals or 0, reward.token or str(reward.mint)), when)
    return rows
